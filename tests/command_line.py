"""Commands run in this process: what they print where, and their exit code."""

import contextlib
import io
from subprocess import CompletedProcess

from branchline.cli._app import run_arguments

__all__ = ["run_here"]


def run_here(*arguments: str) -> "CompletedProcess[str]":
    """Return what a process of the command line would, without its start."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run_arguments(arguments)
    return CompletedProcess(arguments, code, out.getvalue(), err.getvalue())
