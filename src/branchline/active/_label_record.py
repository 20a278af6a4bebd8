"""A file of answers that is replaced after each of them, so that labeling can be interrupted.

The record is JSON. It holds the answers in their order, the rows that were skipped, the seed of the
random order, and a fingerprint of the table: a hash of all rows in their order. A record of another
table or target is refused.
"""

import hashlib
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from branchline._atomic_file import replacing
from branchline._codes import fit_codes
from branchline._row_keys import content_keys
from branchline.active._active_learner import ActiveLearner
from branchline.errors import DataError, Repair
from branchline.table import Table

__all__ = ["LabelRecord"]

_KIND = "branchline labels 1"


@dataclass
class LabelRecord:
    """The answers of a dialogue, as they are written.

    Parameters
    ----------
    path
        The file.
    target
        The name of the target.
    task
        "classification" or "regression".
    seed, check_share
        The seed of the random order of rows, and the share of check rows: they stay the same.
    table
        The fingerprint of the table.
    answers
        Pairs of row and answer, in the order of the answers.
    skipped
        Rows that could not be labeled.
    """

    path: str
    target: str
    task: str
    seed: int
    check_share: float
    table: str
    answers: list[list[Any]] = field(default_factory=list)
    skipped: list[int] = field(default_factory=list)

    @classmethod
    def begin(cls, path: str, target: str, learner: ActiveLearner) -> "LabelRecord":
        """Return an empty record of a dialogue."""
        seed, share = learner._seed, learner.check_share
        return cls(path, target, learner.task, seed, share, fingerprint(learner._pool.table))

    @classmethod
    def read(cls, path: str, table: Table, target: str) -> "LabelRecord":
        """Return the record in a file; refuse one of another table or target."""
        found = cls(path, **_document(path))
        if found.table != fingerprint(table) or found.target != target:
            what = "target" if found.target != target else "table"
            raise DataError(
                f"{path}: these answers belong to another {what}"
                f"{f' ({found.target!r})' if what == 'target' else ''}. Rows are known by their "
                "position, so the table must be the same.",
                code="D632",
                repair=Repair(flag=f"--answers {Path(path).stem}-2.json"),
            )
        return found

    def write(self, learner: ActiveLearner) -> None:
        """Write the answers of a dialogue; the file is replaced as a whole."""
        pool = learner._pool
        answers = [[row, answer] for row, answer in pool.answers.items()]
        self.answers, self.skipped = answers[learner.n_given :], list(pool.skipped)
        document = {"kind": _KIND, **{key: value for key, value in asdict(self).items()
                                      if key != "path"}}  # fmt: skip
        with replacing(self.path) as file:
            file.write(json.dumps(document, ensure_ascii=False).encode())

    def give(self, learner: ActiveLearner) -> None:
        """Tell a dialogue what was answered before."""
        for row, answer in self.answers:
            learner.tell(row, answer)
        for row in self.skipped:
            learner.tell(row, None)


def fingerprint(table: Table) -> str:
    """Return a hash of all rows in their order."""
    none = np.zeros((table.n_rows, 1), dtype=np.uint64)
    keys = content_keys(table, fit_codes(table), none, None)
    return hashlib.sha256(np.ascontiguousarray(keys).tobytes()).hexdigest()[:24]


def _document(path: str) -> dict[str, Any]:
    """Return what a record holds, checked."""
    try:
        found = json.loads(Path(path).read_text(encoding="utf-8"))
        usable = found.pop("kind") == _KIND and set(found) == set(_FIELDS)
        usable = usable and all(type(found[name]) is kind for name, kind in _FIELDS.items())
        usable = usable and all(_is_answer(one) for one in found["answers"])
        usable = usable and all(type(row) is int and row >= 0 for row in found["skipped"])
    except (ValueError, AttributeError, KeyError, TypeError):
        usable = False
    if not usable:
        raise DataError(
            f"{path} is not a record of answers.",
            code="D633",
            repair=Repair(flag="--answers another.json"),
        )
    return dict(found)


_FIELDS = {
    "target": str,
    "task": str,
    "seed": int,
    "check_share": float,
    "table": str,
    "answers": list,
    "skipped": list,
}


def _is_answer(one: Any) -> bool:
    is_pair = isinstance(one, list) and len(one) == 2 and type(one[0]) is int and one[0] >= 0
    return is_pair and isinstance(one[1], str | int | float | bool)
