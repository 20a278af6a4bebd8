"""A process that computes for the studio: it answers lines of JSON with lines of JSON.

1. Standard output is kept for answers, and for what is being done before them; whatever a library
   prints goes to standard error.
2. Memory is limited, so that a file which unpacks to more than the machine has ends in an error.
   The time of the processor is limited while a file is read: the system ends the process then.
3. Errors are answered as data, without paths and without tracebacks; a traceback of a fault goes to
   the terminal of the studio.
4. It ends when the studio has ended, however that did, also in the middle of a request.
"""

import contextlib
import json
import os
import re
import signal
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import IO, Any

from branchline._plain_data import plain_data
from branchline.errors import BranchlineError, NotEnoughMemoryError
from branchline.studio._limits import CPU_SECONDS
from branchline.studio._workspace import Workspace
from branchline.studio.work import HOME_OF_CALL, Desk

__all__ = ["answer_to", "end_with_parent", "limit_memory", "limited_time", "main", "safe_error"]

_LEAST_BYTES = 4 * 2**30
# Calls that read a file for the first time, or in another way.
_READING = {"add_upload", "change_table", "add_model", "predict_file"}
_SECONDS_BETWEEN_LOOKS = 1.0
_NO_LIMIT = contextlib.nullcontext()
# What a lane loads before its first request.
_WARMED = {"desk": "tables", "tree": "trees", "lab": "lab", "groups": "groups"}


def main() -> None:
    """Answer until the input ends."""
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    limit_memory()
    end_with_parent()
    desk = Desk(Workspace(sys.argv[1]), say=lambda step: write_line(output, {"doing": step}))
    for line in sys.stdin.buffer:
        answer = answer_to(desk, json.loads(line))
        write_line(output, answer)


def write_line(output: IO[bytes], answer: dict[str, Any]) -> None:
    """Write an answer as a line."""
    text = json.dumps(plain_data(answer), ensure_ascii=False, allow_nan=False)
    output.write(text.encode("utf-8", "replace") + b"\n")
    output.flush()


def answer_to(desk: Desk, request: dict[str, Any]) -> dict[str, Any]:
    """Carry a request out; return the result, or the error as data."""
    try:
        limit = limited_time(CPU_SECONDS) if request["call"] in _READING else _NO_LIMIT
        with warnings.catch_warnings(), limit:
            warnings.simplefilter("ignore")
            return {"result": _call_of(request["call"])(desk, **request["arguments"])}
    except BranchlineError as error:
        return {"error": safe_error(error, desk.workspace)}
    except MemoryError:
        return {"error": NotEnoughMemoryError().to_dict()}
    except RecursionError:
        return {"error": {"code": "P960", "message": "This is nested too deeply."}}
    except Exception as error:  # a fault of ours must not end the studio
        traceback.print_exception(error, file=sys.stderr)
        message = f"Something failed inside the studio ({type(error).__name__})."
        return {"error": {"code": "P969", "message": message}}


def _call_of(name: str) -> Callable[..., Any]:
    if name == "warm":
        return _warm
    call: Callable[..., Any] = getattr(import_module(HOME_OF_CALL[name]), name)
    return call


def _warm(desk: Desk, lane: str) -> bool:
    import_module(f"branchline.studio.work.{_WARMED[lane]}")
    return True


def safe_error(error: BranchlineError, workspace: Workspace) -> dict[str, Any]:
    """Return an error as data, in which files of the workspace have no path."""
    inside = re.compile(re.escape(str(workspace.folder)) + r"(/\w+/[0-9a-f]{16}(\.[a-z0-9]+)*)?")

    def cleaned(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: cleaned(part) for key, part in value.items()}
        if isinstance(value, list):
            return [cleaned(part) for part in value]
        return inside.sub("the file", value) if isinstance(value, str) else value

    found: dict[str, Any] = cleaned(error.to_dict())
    return found


def limit_memory() -> None:
    """Limit the address space to the machine's memory, where the system can do that."""
    try:
        import resource

        machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        most = max(2 * machine, _LEAST_BYTES)
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (most, hard))
    except (ImportError, OSError, ValueError):  # not on this system
        return


def end_with_parent() -> None:
    """End this process, and all that it has started, soon after its parent has ended."""
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_SECONDS_BETWEEN_LOOKS)
        os.killpg(os.getpid(), signal.SIGKILL)  # ``start_python`` has made it a group of its own

    threading.Thread(target=watch, daemon=True).start()


@contextlib.contextmanager
def limited_time(seconds: int) -> Iterator[None]:
    """Let the system end this process when it uses more time, where the system can do that."""
    try:
        import resource
    except ImportError:  # not on this system
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_CPU)
    used = resource.getrusage(resource.RUSAGE_SELF)
    last = int(used.ru_utime + used.ru_stime) + seconds
    known = [limit for limit in (soft, hard) if limit != resource.RLIM_INFINITY]
    with contextlib.suppress(OSError, ValueError):  # not where this process may not do that
        resource.setrlimit(resource.RLIMIT_CPU, (min([last, *known]), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_CPU, (soft, hard))


if __name__ == "__main__":
    main()
