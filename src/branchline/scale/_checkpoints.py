"""What is done of a fit, kept in a folder: it continues from there when its process has ended.

1. A file ``NUMBER-WORK.npz`` holds the arrays of some rounds of boosting, or trees of a forest, of
   one work. ``NUMBER`` is that of the first one, ``WORK`` a hash of rows, target and options.
2. Files appear whole or not at all. Rounds follow one another: reading stops at the first one that
   is missing or damaged. Batches of trees stand for themselves.
"""

import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from branchline._atomic_file import replacing
from branchline._tree_work import Batch
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
        self.folder, self._every, self._resumes = Path(folder).expanduser(), every, resume
        self.n_kept = 0
        self._held: dict[int, Batch] = {}

    def read(self, digest: str) -> list[dict[str, Any]]:
        """Return the rounds of a work that are there."""
        rounds: list[dict[str, Any]] = []
        while self._resumes and (path := self._path(digest, len(rounds))).exists():
            found = _read(path)
            if not found or sorted(found) != list(range(len(found))):
                break
            rounds += [{"n_rounds": 1, **found[number]} for number in range(len(found))]
        self.n_kept = len(rounds)
        return rounds

    def write(self, digest: str, rounds: list[dict[str, Any]]) -> None:
        """Keep the latest rounds, where there are enough of them."""
        if not rounds or len(rounds) % self._every:
            return
        first = len(rounds) - self._every
        self._save(self._path(digest, first), dict(enumerate(rounds[first:])))
        self.n_kept = len(rounds)

    def read_batches(self, digest: str) -> dict[int, Batch]:
        """Return the batches of trees of a work that are there, by their first tree."""
        batches: dict[int, Batch] = {}
        for path in sorted(self.folder.glob(f"*-{digest}.npz")) if self._resumes else ():
            batches |= _read(path)
        self.n_kept = sum(len(one["n_nodes"]) for one in batches.values())
        return batches

    def add_batch(self, digest: str, first: int, batch: Batch) -> None:
        """Keep a batch of trees, once there are enough trees for a file."""
        self._held[first] = batch
        n_held = sum(len(one["n_nodes"]) for one in self._held.values())
        if n_held < self._every:
            return
        self._save(self._path(digest, min(self._held)), self._held)
        self.n_kept += n_held
        self._held = {}

    def _save(self, path: Path, of_numbers: dict[int, dict[str, Any]]) -> None:
        arrays: dict[str, Any] = {
            f"{number} {name}": one
            for number, grown in of_numbers.items()
            for name, one in grown.items()
            if isinstance(one, np.ndarray)
        }
        self.folder.mkdir(parents=True, exist_ok=True)
        with replacing(path) as file:
            np.savez(file, **arrays)

    def _path(self, digest: str, first: int) -> Path:
        return self.folder / f"{first:06d}-{digest}.npz"


def _read(path: Path) -> dict[int, dict[str, Any]]:
    """Return the arrays of a file by their numbers; nothing where it is damaged."""
    found: dict[int, dict[str, Any]] = {}
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as held:
            for told in held.files:
                number, _, name = told.partition(" ")
                found.setdefault(int(number), {})[name] = held[told]
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        found = {}
    if not found:
        _tell_damaged(path)
    return found


def _tell_damaged(path: Path) -> None:
    warn(
        BranchlineWarning(
            f"{path} is damaged. What it held is made again.",
            code="W110",
        )
    )
