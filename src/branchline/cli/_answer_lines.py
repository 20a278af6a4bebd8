"""Lines that a person types in answer to a question, with Ctrl-C heard at once.

Libraries that read files put a handler of their own before Python's, after which a read that
Ctrl-C interrupts begins again: the end of the dialogue would wait for the next Enter.
"""

import signal
import threading
from typing import TextIO

__all__ = ["answer_line"]


def answer_line(lines: TextIO) -> str:
    """Return the next line; "": the input ends. Ctrl-C raises KeyboardInterrupt."""
    interrupts = getattr(signal, "siginterrupt", None)  # absent on Windows
    if interrupts is not None and threading.current_thread() is threading.main_thread():
        interrupts(signal.SIGINT, True)
        interrupts(signal.SIGTERM, True)
    return lines.readline()
