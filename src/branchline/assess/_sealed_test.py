"""A sealed test set: rows that stay unseen until the end, and a record of every look.

1. ``seal`` draws a key and writes a record next to the data. A row is sealed when the keyed hash of
   its cells falls below the fraction, so the same rows are sealed in whatever order they come, and
   copies of a row are sealed together.
2. ``part`` gives the rows to work with; the sealed ones never reach a comparison.
3. ``open`` assesses one final model on the sealed rows and writes down when, which model and what
   it scored. A second look is refused unless it is asked for expressly, and it is written down as
   well: a test set that is looked at twice is no longer a test.
"""

import hashlib
import json
import secrets
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._atomic_file import replacing
from branchline._plain_numbers import alike, count, percent
from branchline._validation import Real, check_parameters
from branchline.assess._find_metric import check_positive, find_metric
from branchline.assess._outcome import Outcome
from branchline.assess._scoring import probabilities_of
from branchline.errors import DataError, Repair
from branchline.table import Table

__all__ = ["Look", "SealedTest", "TestOpenedError"]

_FORMAT = 1
_N_DRAWS = 1000


class TestOpenedError(DataError):
    """The sealed test set has been looked at before.

    See Also
    --------
    SealedTest : rows set aside by a keyed hash, with a record of every test on them.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from branchline import load_dataset
    >>> from branchline.assess import SealedTest, TestOpenedError
    >>> from branchline.tree import DecisionTreeClassifier
    >>> table = load_dataset("iris")
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "iris.seal.json"
    >>> sealed = SealedTest.seal(path, 0.2, key="00" * 16)
    >>> rows, hidden = sealed.part(table)
    >>> model = DecisionTreeClassifier().fit(*rows.split_target("species"))
    >>> look = sealed.open(model, table, "species")
    >>> try:
    ...     sealed.open(model, table, "species")
    ... except TestOpenedError as error:
    ...     print(error.code)
    D134
    """

    __test__ = False  # not a test for pytest, although its name begins with Test


@dataclass(frozen=True)
class Look:
    """One look at the sealed rows.

    Parameters
    ----------
    when
        The time, in UTC.
    model
        What was assessed: its class and the hash of its file.
    metric, score, low, high
        What it scored, with its 95 % interval.
    n_rows
        The number of sealed rows.

    See Also
    --------
    Table : ``look`` returns it.
    SealedTest : ``open`` returns it.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from branchline import load_dataset
    >>> from branchline.assess import SealedTest
    >>> from branchline.tree import DecisionTreeClassifier
    >>> table = load_dataset("iris")
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "iris.seal.json"
    >>> sealed = SealedTest.seal(path, 0.2, key="00" * 16)
    >>> rows, hidden = sealed.part(table)
    >>> model = DecisionTreeClassifier().fit(*rows.split_target("species"))
    >>> sealed.open(model, table, "species").n_rows == hidden.n_rows
    True
    """

    when: str
    model: str
    metric: str
    score: float
    low: float
    high: float
    n_rows: int

    def __str__(self) -> str:
        score, low, high = alike([self.score, self.low, self.high])
        rows = count(self.n_rows, "sealed row")
        return f"{self.when}: {self.model}, {self.metric} {score} [{low}, {high}] on {rows}"


class SealedTest:
    """Rows set aside by a keyed hash, with a record of every test on them.

    Parameters
    ----------
    path
        The record, a small JSON file.

    See Also
    --------
    compare : compare learners on a table and recommend one.
    TestOpenedError : the sealed test set has been looked at before.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from branchline import load_dataset
    >>> from branchline.assess import SealedTest
    >>> from branchline.tree import DecisionTreeClassifier
    >>> table = load_dataset("iris")
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "iris.seal.json"
    >>> sealed = SealedTest.seal(path, 0.2, key="00" * 16)
    >>> rows, hidden = sealed.part(table)
    >>> model = DecisionTreeClassifier().fit(*rows.split_target("species"))
    >>> sealed.fraction
    0.2
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._record = self._read()

    @classmethod
    def seal(cls, path: str | Path, fraction: float, *, key: str | None = None) -> "SealedTest":
        """Begin a record: ``fraction`` of the rows are sealed from now on.

        A record that is there already stays: sealing anew would let seen rows back in.
        """
        check_parameters("seal", {"fraction": fraction}, {"fraction": Real(0.01, 0.9)})
        place = Path(path)
        if not place.exists():
            record = {
                "format": _FORMAT,
                "key": secrets.token_hex(16) if key is None else key,
                "fraction": float(fraction),
                "looks": [],
            }
            _write(place, record)
        return cls(place)

    @property
    def fraction(self) -> float:
        """The share of rows that is sealed."""
        return float(self._record["fraction"])

    @property
    def looks(self) -> tuple[Look, ...]:
        """Every look so far."""
        return tuple(Look(**look) for look in self._record["looks"])

    def is_sealed(self, table: Table) -> npt.NDArray[np.bool_]:
        """Return which rows are sealed."""
        key = bytes.fromhex(self._record["key"])
        limit = int(self.fraction * 2**64)
        return np.array([_hash(key, row) < limit for row in table.to_dicts()], dtype=bool)

    def part(self, table: Table) -> tuple[Table, Table]:
        """Return the rows to work with, and the sealed ones."""
        sealed = self.is_sealed(table)
        if sealed.all() or not sealed.any():
            raise DataError(
                f"Sealing {percent(self.fraction)} of {count(table.n_rows, 'row')} leaves one part "
                "empty.",
                code="D133",
                repair=Repair(None, "--seal 50%"),
            )
        return table.rows(~sealed), table.rows(sealed)

    def open(
        self,
        model: Any,
        table: Table,
        target: str,
        *,
        metric: str | None = None,
        positive: Any = None,
        again: bool = False,
    ) -> Look:
        """Assess a final model on the sealed rows of a table and write it down."""
        if self.looks and not again:
            raise TestOpenedError(
                f"This test set has been opened before: {self.looks[-1]}. A second look makes it a "
                "training set.",
                code="D134",
                repair=Repair("sealed.open(model, table, target, again=True)", "--again"),
            )
        _, sealed = self.part(table)
        look = _assess(model, sealed, target, metric, positive)
        self._record["looks"].append(asdict(look))
        _write(self.path, self._record)
        return look

    def _read(self) -> dict[str, Any]:
        try:
            record = json.loads(self.path.read_text(encoding="utf-8"))
            bytes.fromhex(record["key"])
            looks = [Look(**look) for look in record["looks"]]
            usable = record["format"] == _FORMAT and 0 < float(record["fraction"]) < 1
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise _unusable(self.path) from error
        if not usable:
            raise _unusable(self.path)
        return {**record, "looks": [asdict(look) for look in looks]}


def _unusable(path: Path) -> DataError:
    return DataError(
        f"{path} is not the record of a sealed test set.",
        code="D135",
        repair=Repair(None, "--seal 20%"),
    )


def _hash(key: bytes, row: dict[str, Any]) -> int:
    """Return 64 bits that depend on the key and on the cells, by name."""
    cells = json.dumps({name: _cell(row[name]) for name in sorted(row)}, ensure_ascii=True)
    digest = hashlib.blake2b(cells.encode(), key=key, digest_size=8).digest()
    return int.from_bytes(digest, "big")


def _cell(value: Any) -> Any:
    """Return a cell as it is hashed: 1 and 1.0 alike, dates as text, missing as null."""
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, int | float):
        return None if value != value else float(value)
    return str(value)


def _assess(model: Any, sealed: Table, target: str, metric: str | None, positive: Any) -> Look:
    """Score a model on the sealed rows; the interval comes from drawing rows anew."""
    X, y = sealed.split_target(target)
    classes = getattr(model, "classes_", None)
    wanted = find_metric(metric, "regression" if classes is None else "classification")
    predicted = model.predict(X)
    if classes is None:
        outcome = Outcome(np.asarray(y, dtype=np.float64), predicted)
    else:
        known = np.isin(y, classes)
        probabilities = probabilities_of(model, X, classes) if wanted.needs_probabilities else None
        place = None
        if wanted.needs_positive or positive is not None:
            place = check_positive(wanted, positive, classes)
        truth = np.where(known, np.searchsorted(classes, np.where(known, y, classes[0])), -1)
        names = tuple(classes.tolist())
        outcome = Outcome(truth, np.searchsorted(classes, predicted), probabilities, names, place)
    score = wanted.score(outcome)
    rng = np.random.default_rng(0)
    draws = [
        wanted.score(outcome.rows(rng.integers(0, len(outcome), len(outcome))))
        for _ in range(_N_DRAWS)
    ]
    low, high = np.nanquantile(draws, [0.025, 0.975])
    when = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    name = type(model).__name__
    return Look(when, name, wanted.name, float(score), float(low), float(high), len(outcome))


def _write(path: Path, record: dict[str, Any]) -> None:
    """Write the record whole or not at all: without it the sealed rows are unknown."""
    with replacing(path) as file:
        file.write(f"{json.dumps(record, indent=2)}\n".encode())
