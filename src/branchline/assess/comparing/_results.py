"""What one learner did on one split, and a file in which such results wait to be continued.

A run file holds a line of JSON with the plan, the rows' fingerprint and the options of the command,
then one for each result; arrays are written as base64. A
line that was cut short by an interruption is left out on reading.
"""

import base64
import contextlib
import json
import os
import shlex
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._plain_numbers import count
from branchline._warn import warn
from branchline.errors import BranchlineWarning, DataError, Repair

__all__ = ["FoldResult", "RunFile"]

_CHANGEABLE = ("time_budget", "prefer", "by")


@dataclass(frozen=True, eq=False)
class FoldResult:
    """The predictions of one fitted model for one test set.

    Parameters
    ----------
    learner
        Its label.
    split
        The number of the split.
    predicted
        The prediction of each test row: numbers, or places among the classes.
    probabilities
        The probability of each class; None when the learner gives none.
    fit_seconds, predict_seconds
        How long it took, the search for parameters included.
    size, unit
        How much there is to read in the model: 12 "leaves".
    parameters
        What a search chose.
    fitted_said
        The predictions of its own training rows, where they are needed (.632+).
    notes
        Warnings of the fit.
    error
        Why there are no predictions; None when there are.
    fit_bytes
        The peak of memory while fitting, the search included; None where it is not known.
    model_bytes
        The size of the saved model; None where it was not measured.
    trials
        The configurations that a search has scored, with their scores on inner folds.
    chosen
        Which inputs the learner got, eight to a byte; None: all of them.
    path, choice_seconds
        Where this fit made the choice: errors of inner folds against the number of inputs, and
        how long the choice took. It is not part of ``fit_seconds``.
    """

    learner: str
    split: int
    predicted: npt.NDArray[Any]
    probabilities: npt.NDArray[np.float64] | None
    fit_seconds: float
    predict_seconds: float
    size: int
    unit: str
    parameters: dict[str, Any]
    fitted_said: npt.NDArray[Any] | None = None
    notes: tuple[str, ...] = ()
    error: str | None = None
    fit_bytes: int | None = None
    model_bytes: int | None = None
    trials: tuple[dict[str, Any], ...] = ()
    chosen: npt.NDArray[np.uint8] | None = None
    path: dict[str, Any] | None = None
    choice_seconds: float = 0.0

    def __repr__(self) -> str:
        what = count(len(self.predicted), "row") if self.error is None else self.error
        return f"FoldResult({self.learner!r}, split {self.split}, {what})"

    def to_line(self) -> str:
        """Return the result as a line of JSON."""
        fields = {name: _packed(value) for name, value in vars(self).items()}
        return json.dumps(fields, ensure_ascii=False)

    @staticmethod
    def from_line(line: str) -> "FoldResult":
        """Read a result back."""
        fields = {name: _unpacked(value) for name, value in json.loads(line).items()}
        several = {name: tuple(fields[name]) for name in ("notes", "trials") if name in fields}
        return FoldResult(**{**fields, **several})


class RunFile:
    """A file of results that can be added to and continued."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    def begin(
        self,
        plan: dict[str, Any],
        fingerprint: str,
        *,
        resume: bool,
        about: dict[str, Any] | None = None,
    ) -> list[FoldResult]:
        """Start the file, or return what it holds of the same plan on the same rows."""
        head = {"plan": plan, "rows": fingerprint}
        if resume and self.path.exists():
            lines = self.path.read_text(encoding="utf-8", errors="replace").split("\n")
            if not _is_of(lines[0], head):
                raise DataError(
                    f"{self.path} holds results of another plan or of other rows, so it cannot be "
                    "continued.",
                    code="D131",
                    repair=Repair(None, "run the same command without --resume"),
                )
            kept = list(self._read(lines[1:]))
            self._write([lines[0], *(result.to_line() for result in kept)])
            return kept
        self._write([json.dumps({**head, "about": about or {}}, sort_keys=True)])
        return []

    def add(self, result: FoldResult) -> None:
        """Append a result; where there is no room any more, go on in another folder."""
        line = result.to_line() + "\n"
        try:
            self._append(line)
        except OSError as error:
            self._move(line, error)

    def _append(self, line: str) -> None:
        if self.path == Path(os.devnull):
            return
        with self.path.open("a", encoding="utf-8") as file:
            file.write(line)

    def _move(self, line: str, error: OSError) -> None:
        """Copy what there is to the temporary files, and say so; results are in memory as well."""
        old, why = self.path, error.strerror or str(error)
        new = Path(tempfile.gettempdir()) / f"branchline-{os.getpid()}-{old.name}"
        try:
            lines = old.read_text(encoding="utf-8", errors="replace").split("\n")
            whole = "\n".join([lines[0], *(one.to_line() for one in self._read(lines[1:])), ""])
            new.write_text(whole + line, encoding="utf-8")
        except OSError:
            self.path = Path(os.devnull)
            where = "The results are in memory only until they are printed"
        else:
            self.path = new
            with contextlib.suppress(OSError):
                old.unlink()
            where = f"The results go on in {new}"
        warn(
            BranchlineWarning(
                f"{old} cannot be written any more ({why}). {where}.",
                code="W009",
                repair=Repair(None, f"branchline report {shlex.quote(str(self.path))}"),
            ),
        )

    def _write(self, lines: list[str]) -> None:
        """Replace the file in one step: what it held is not lost when this is interrupted."""
        draft = self.path.with_name(f"{self.path.name}.part")
        try:
            draft.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
            draft.replace(self.path)
        finally:
            draft.unlink(missing_ok=True)

    @staticmethod
    def _read(lines: list[str]) -> Iterator[FoldResult]:
        for line in lines:
            try:
                yield FoldResult.from_line(line)
            except (ValueError, TypeError, KeyError):
                return  # the line that an interruption cut short


def _is_of(line: str, head: dict[str, Any]) -> bool:
    """Whether a file's first line names this plan and these rows."""
    try:
        found = json.loads(line)
    except ValueError:
        return False
    wanted = json.loads(json.dumps(head))
    return isinstance(found, dict) and _lasting(found) == _lasting(wanted)


def _lasting(head: dict[str, Any]) -> Any:
    """Return what results depend on: not how long they may take, nor what is preferred of them."""
    plan = head.get("plan")
    if not isinstance(plan, dict):
        return None
    return head.get("rows"), {name: plan[name] for name in plan if name not in _CHANGEABLE}


def _packed(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        content = base64.b64encode(np.ascontiguousarray(value).tobytes()).decode()
        return {"$array": content, "dtype": value.dtype.str, "shape": list(value.shape)}
    return list(value) if isinstance(value, tuple) else value


def _unpacked(value: Any) -> Any:
    if isinstance(value, dict) and "$array" in value:
        content = base64.b64decode(value["$array"], validate=True)
        array = np.frombuffer(content, dtype=np.dtype(value["dtype"]))
        return array.reshape(value["shape"]).copy()
    return value
