"""The processor time of another process: what it has worked, however busy the machine is."""

import os
from pathlib import Path

__all__ = ["processor_seconds"]


def processor_seconds(pid: int) -> float:
    """Return the processor time that all threads of a process have used; Linux only."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")
