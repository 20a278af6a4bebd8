"""Peak memory of one call, in a fresh interpreter that has run nothing else.

The child builds the workload's data, resets the kernel's high-water mark, runs the call once and
prints how far the resident memory rose above where it stood. A fork of the running process would
inherit its thread pools, which OpenMP and polars do not survive; hence a new interpreter.
Only Linux can reset the mark; elsewhere the answer is None.
"""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

__all__ = ["peak_mib_in_fresh_process", "peak_mib_of_call"]

_ROOT = Path(__file__).resolve().parent.parent
_RESET_PEAK = "5"
_TIMEOUT_SECONDS = 300


def peak_mib_in_fresh_process(workload: str, competitor: str, threads: int) -> float | None:
    """Run one competitor of a workload in a fresh interpreter and return its peak, in MiB."""
    command = [sys.executable, "-m", "benchmarks", workload]
    command += ["--threads", str(threads), "--memory-of", competitor]
    try:
        done = subprocess.run(
            command, cwd=_ROOT, capture_output=True, text=True, check=True, timeout=_TIMEOUT_SECONDS
        )
        return float(done.stdout.split()[-1])
    except (subprocess.SubprocessError, ValueError, IndexError):
        return None


def peak_mib_of_call(call: Callable[[], Any]) -> float | None:
    """Return how far resident memory rose during ``call``, in MiB, or None where unknown."""
    try:
        Path("/proc/self/clear_refs").write_text(_RESET_PEAK, encoding="ascii")
        before = _status_mib("VmRSS")
    except OSError:
        return None
    result = call()
    after = _status_mib("VmHWM")
    del result
    return max(0.0, after - before)


def _status_mib(key: str) -> float:
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith(f"{key}:"):
            return int(line.split()[1]) / 1024
    raise OSError(key)
