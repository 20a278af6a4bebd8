"""Rounds that are done, kept in a folder: what a fit continues from when its process has ended.

1. A file ``ROUND-WORK.npz`` holds some consecutive rounds of one work: the arrays of their trees.
   ``ROUND`` is the number of the first one, ``WORK`` a hash of rows, target and options.
2. Files appear whole or not at all. Reading stops at the first round that is missing or damaged.
"""

import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from branchline._atomic_file import replacing
from branchline._warn import warn
from branchline.errors import BranchlineWarning

__all__ = ["Checkpoints"]


class Checkpoints:
    """The rounds of works, in a folder.

    Parameters
    ----------
    folder
        Where files are; it is made when it is needed.
    every
        The number of rounds of a file.
    resume
        Whether to continue from what is there.
    """

    def __init__(self, folder: str | Path, every: int, *, resume: bool) -> None:
        self._folder, self._every, self._resumes = Path(folder).expanduser(), every, resume

    def read(self, digest: str) -> list[dict[str, Any]]:
        """Return the rounds of a work that are there."""
        rounds: list[dict[str, Any]] = []
        while self._resumes and (path := self._path(digest, len(rounds))).exists():
            try:
                rounds += _rounds_in(path)
            except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
                warn(
                    BranchlineWarning(
                        f"{path} is damaged. The rounds from {len(rounds)} on are made again.",
                        code="W110",
                    )
                )
                break
        return rounds

    def write(self, digest: str, rounds: list[dict[str, Any]]) -> None:
        """Keep the latest rounds, where there are enough of them."""
        if not rounds or len(rounds) % self._every:
            return
        first = len(rounds) - self._every
        arrays = {
            f"{number} {name}": one
            for number, grown in enumerate(rounds[first:])
            for name, one in grown.items()
            if isinstance(one, np.ndarray)
        }
        self._folder.mkdir(parents=True, exist_ok=True)
        with replacing(self._path(digest, first)) as file:
            np.savez(file, allow_pickle=False, **arrays)

    def _path(self, digest: str, first: int) -> Path:
        return self._folder / f"{first:06d}-{digest}.npz"


def _rounds_in(path: Path) -> list[dict[str, Any]]:
    """Return the rounds of a file; ValueError where it holds none."""
    found: dict[int, dict[str, Any]] = {}
    with path.open("rb") as file, np.load(file, allow_pickle=False) as held:
        for told in held.files:
            number, _, name = told.partition(" ")
            found.setdefault(int(number), {"n_rounds": 1})[name] = held[told]
    if not found or sorted(found) != list(range(len(found))):
        raise ValueError
    return [found[number] for number in range(len(found))]
