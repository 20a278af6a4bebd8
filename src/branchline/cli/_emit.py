"""How results leave: people's text or one JSON document on stdout, and exit codes."""

import json
import shutil
import sys
import textwrap
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from branchline import __version__
from branchline._plain_data import plain_data
from branchline.errors import BranchlineError, BranchlineWarning, ParameterError

__all__ = [
    "EXIT_DATA",
    "EXIT_FIT",
    "EXIT_INTERRUPTED",
    "EXIT_REQUIREMENT",
    "EXIT_TEST_OPENED",
    "EXIT_UNEXPECTED",
    "EXIT_USAGE",
    "begin_output",
    "can_print",
    "emit",
    "end_interrupted",
    "exit_code_of",
    "fitting",
    "print_document",
    "say",
    "tell",
    "text_width",
    "when_begun",
    "wrapped",
]

EXIT_UNEXPECTED, EXIT_USAGE, EXIT_DATA, EXIT_FIT = 1, 2, 3, 4
EXIT_REQUIREMENT, EXIT_TEST_OPENED, EXIT_INTERRUPTED = 5, 6, 130

# Whether this run has printed its result: after Ctrl-C there may be a part of one, or none.
_printed: list[bool] = []
_begun: list[float] = []

_CODES = {"D132": EXIT_FIT, "D134": EXIT_TEST_OPENED}
_NARROWEST, _USUAL, _WIDEST = 60, 100, 140


def exit_code_of(error: BranchlineError) -> int:
    """Return the exit code for an error."""
    if isinstance(error, ParameterError):
        return EXIT_USAGE
    return _CODES.get(error.code, getattr(error, "exit_code", EXIT_DATA))


@contextmanager
def fitting() -> Iterator[None]:
    """Let errors of a fit leave with the exit code of fits."""
    try:
        yield
    except BranchlineError as error:
        vars(error)["exit_code"] = EXIT_FIT
        raise


def emit(as_json: bool, document: dict[str, Any], text: str) -> None:
    """Print a result: the text for people; or, for programs, the document, the text on stderr."""
    _printed.append(True)
    if as_json:
        print_document(document)
        print(text, file=sys.stderr)
    else:
        print(text)


def tell(trouble: BranchlineError | BranchlineWarning) -> int:
    """Say on stderr what is wrong, with its repair, and return the exit code."""
    is_error = isinstance(trouble, BranchlineError)
    text = ("" if is_error else "warning: ") + trouble.command_line_text()
    print(wrapped(text, "  ") if sys.stderr.isatty() else text, file=sys.stderr, flush=True)
    return exit_code_of(trouble) if isinstance(trouble, BranchlineError) else 0


def say(text: str) -> None:
    """Say on stderr what is being done."""
    print(wrapped(text) if sys.stderr.isatty() else text, file=sys.stderr, flush=True)


def begin_output(began: float | None = None) -> None:
    """Forget what was printed before, and remember when the command was given."""
    _printed.clear()
    _begun[:] = [time.monotonic() if began is None else began]


def when_begun() -> float:
    """Return when the command was given (``time.monotonic``)."""
    return _begun[0] if _begun else time.monotonic()


def end_interrupted(as_json: bool) -> int:
    """Say that Ctrl-C ended everything, unless a result says so, and return the exit code."""
    if not _printed:
        message = "Interrupted before there was a result."
        if as_json:
            print_document({"error": {"code": None, "type": "Interrupted", "message": message}})
        print(message, file=sys.stderr)
    return EXIT_INTERRUPTED


def print_document(document: dict[str, Any]) -> None:
    """Print one JSON document with the version of its schema."""
    whole = plain_data({"schema": 1, "branchline": __version__, **document})
    print(json.dumps(whole, ensure_ascii=False, allow_nan=False))


def can_print(characters: str) -> bool:
    """Return whether stdout has these characters: an old code page or the C locale has few."""
    try:
        characters.encode(getattr(sys.stdout, "encoding", None) or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def text_width() -> int:
    """Return how wide text may be: the terminal's width within reason."""
    columns = shutil.get_terminal_size((_USUAL, 24)).columns
    return min(max(columns, _NARROWEST), _WIDEST)


def wrapped(text: str, indent: str = "") -> str:
    """Return text whose long lines are broken at blanks, those of names and files at no place."""
    lines = (
        textwrap.wrap(
            line,
            text_width(),
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
        for line in text.split("\n")
    )
    return "\n".join("\n".join(line) for line in lines)
