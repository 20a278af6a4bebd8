"""A file that appears whole or not at all: a draft in the same folder takes its name at the end.

A link is followed, so that the file it leads to is replaced. What was written is on the disk before
the draft takes the name: a loss of power leaves the old file or the new one.
"""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

__all__ = ["replacing"]


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Give a draft to write; without an error, it replaces the file called ``path``."""
    target = Path(path).expanduser().resolve()
    draft = target.with_name(f".branchline-{secrets.token_hex(8)}.tmp")
    try:
        with draft.open("xb") as file:  # with the mode that the user's umask asks for
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, target)
    finally:
        with suppress(OSError):  # it has taken the other name, or never was
            draft.unlink()
