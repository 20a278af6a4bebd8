"""Targets: class names become indices, numbers become floats; missing ones are refused.

The first line of a message is scikit-learn's sentence where its own checks look for one.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.multiclass import type_of_target

from branchline._warn import warn
from branchline.errors import BranchlineWarning, DataError, KindError, Repair
from branchline.table import Table, as_table

__all__ = [
    "ONE_CLASS",
    "ClassTarget",
    "NumberTarget",
    "Owner",
    "as_array",
    "check_class_target",
    "check_number_target",
    "classes_of",
    "is_missing",
    "refuse_unusable_names",
    "target_values",
]

# Rows whose classes are numbered at a time.
_BLOCK = 2**20
_MOST_COUNTED = 2**16
# How the warning about a target of one class begins; those who warn of it in other words filter it.
ONE_CLASS = "The target y has only one class"


@dataclass(frozen=True)
class Owner:
    """Whose target is checked: an estimator's name, and the one of the opposite task.

    Parameters
    ----------
    name
        The estimator's class name.
    opposite
        The full name of the regressor that goes with a classifier, or the other way round; None
        when there is none.
    multi_output
        Whether several numbers may be predicted for a row.
    """

    name: str
    opposite: str | None
    multi_output: bool = False

    def use_opposite(self) -> Repair:
        """Return the repair that fits the other estimator instead."""
        if self.opposite is None:
            return Repair()
        room, _, name = self.opposite.rpartition(".")
        return Repair(f"from {room} import {name}\nmodel = {name}().fit(X, y)")


@dataclass(frozen=True)
class ClassTarget:
    """The classes, sorted, and the index of each row's class."""

    classes: npt.NDArray[Any]
    class_of_row: npt.NDArray[np.uint32]

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return len(self.classes)

    def rows(self, which: npt.NDArray[Any]) -> "ClassTarget":
        """Return the classes of some rows; the list of classes stays."""
        return ClassTarget(self.classes, self.class_of_row[which])


@dataclass(frozen=True)
class NumberTarget:
    """The number to predict for each row; with several outputs, a row of numbers."""

    values: npt.NDArray[np.float64]

    @property
    def matrix(self) -> npt.NDArray[np.float64]:
        """One row per case, one column per output."""
        return self.values if self.values.ndim == 2 else self.values[:, None]

    def rows(self, which: npt.NDArray[Any]) -> "NumberTarget":
        """Return the numbers of some rows."""
        return NumberTarget(self.values[which])


def check_class_target(
    y: Any, owner: Owner, n_rows: int, keep: npt.NDArray[np.bool_] | None
) -> ClassTarget:
    """Return class names as indices; ``keep`` says which rows count."""
    names = target_values(y, owner, n_rows)
    _refuse_missing(names)
    refuse_unusable_names(names, owner)
    return classes_of(names if keep is None else names[keep])


def target_values(y: Any, owner: Owner, n_rows: int) -> npt.NDArray[Any]:
    """Return the target as an array of one value for each row."""
    return _one_dimension(as_array(y, owner), n_rows)


def refuse_unusable_names(names: npt.NDArray[Any], owner: Owner) -> None:
    """Refuse names of classes that are infinite, or numbers that are not whole."""
    _refuse_infinite(names)
    _refuse_continuous(names, owner)


def classes_of(names: npt.NDArray[Any]) -> ClassTarget:
    """Return the classes, sorted, and the index of each row's class."""
    try:
        classes, class_of_row = _numbered(names)
    except TypeError as error:
        raise KindError(
            "The target y mixes kinds (text and numbers, say) that cannot be put in order.",
            code="K011",
            values=dict.fromkeys(type(name).__name__ for name in names[:1000]),
            repair=Repair("y = [str(name) for name in y]"),
        ) from error
    if len(classes) == 1:
        warn(
            f"{ONE_CLASS}, {str(classes[0])!r}: the model always predicts it.",
            BranchlineWarning,
        )
    return ClassTarget(classes, class_of_row)


def _numbered(names: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[np.uint32]]:
    """Return the different names, sorted, and the number of each row's name.

    Many rows go block by block: sorting all of them at once would take many times their bytes.
    """
    if names.dtype.kind in "biu":
        counted = _counted(names)
        if counted is not None:
            return counted
    if len(names) <= _BLOCK or names.dtype.kind == "O":
        classes, class_of_row = np.unique(names, return_inverse=True)
        return classes, np.asarray(class_of_row, dtype=np.uint32)
    blocks = [names[at : at + _BLOCK] for at in range(0, len(names), _BLOCK)]
    classes = names[:0]
    for block in blocks:
        if _places_in(classes, block) is None:
            classes = np.unique(np.concatenate([classes, np.unique(block)]))
    numbers = np.empty(len(names), dtype=np.uint32)
    for at, block in enumerate(blocks):
        places = _places_in(classes, block)
        assert places is not None
        numbers[at * _BLOCK : (at + 1) * _BLOCK] = places
    return classes, numbers


def _counted(
    names: npt.NDArray[Any],
) -> tuple[npt.NDArray[Any], npt.NDArray[np.uint32]] | None:
    """Return what ``_numbered`` returns, of whole numbers that are close; None: they are not."""
    least, most = (names.min(), names.max()) if len(names) else (0, -1)
    span = int(most) - int(least) + 1
    if not 0 < span <= min(_MOST_COUNTED, len(names)):
        return None
    whole = names.view(np.uint8) if names.dtype.kind == "b" else names
    # Differences beyond the range of a signed type are right as numbers without sign.
    steps = (whole - whole.dtype.type(least)).view(f"u{whole.dtype.itemsize}")
    is_present, found = np.zeros(span, dtype=bool), np.empty(span, dtype=names.dtype)
    is_present[steps], found[steps] = True, names
    return found[is_present], (np.cumsum(is_present, dtype=np.uint32) - np.uint32(1))[steps]


def _places_in(classes: npt.NDArray[Any], names: npt.NDArray[Any]) -> npt.NDArray[np.intp] | None:
    """Return the place of each name among sorted classes; None where one is not among them."""
    if not len(classes):
        return None
    places = np.minimum(np.searchsorted(classes, names), len(classes) - 1)
    return places if (classes[places] == names).all() else None


def check_number_target(
    y: Any, owner: Owner, n_rows: int, keep: npt.NDArray[np.bool_] | None
) -> NumberTarget:
    """Return the target as floats; ``keep`` says which rows count."""
    array = as_array(y, owner)
    if owner.multi_output and array.ndim == 2 and array.shape[1] > 1:
        columns = [_numbers_of(array[:, place], owner, n_rows) for place in range(array.shape[1])]
        numbers = np.column_stack(columns)
    else:
        numbers = _numbers_of(array, owner, n_rows)
    return NumberTarget(numbers if keep is None else numbers[keep])


def _numbers_of(array: npt.NDArray[Any], owner: Owner, n_rows: int) -> npt.NDArray[np.float64]:
    """Return one output as floats."""
    values = _one_dimension(array, n_rows)
    _refuse_missing(values)
    numbers = _as_numbers(values, owner)
    _refuse_missing(numbers)  # the text "nan" is a missing number
    _refuse_infinite(numbers)
    return numbers


def as_array(y: Any, owner: Owner) -> npt.NDArray[Any]:
    """Return a target as an array, its values as they were given."""
    if y is None:
        raise DataError(
            f"{owner.name} requires y to be passed, but the target y is None.",
            code="D070",
            repair=Repair("model.fit(X, y)"),
        )
    if isinstance(y, str):
        raise DataError(
            f"The target y is the text {y!r}; it must hold one value for each row. The column of "
            "that name can be split off the table.",
            code="D070",
            values=[y],
            repair=Repair(
                "from branchline import Table\n"
                f"X, y = Table(X).split_target({y!r})\nmodel.fit(X, y)"
            ),
        )
    if isinstance(y, Table) and y.n_columns == 1:
        y = y.columns[0]  # the table itself would give the codes of categories, not their names
    if isinstance(y, np.ma.MaskedArray) and np.ma.is_masked(y):
        hidden, y = np.ma.getmaskarray(y), np.array(y, dtype=object)
        y[hidden] = None
    if hasattr(y, "to_numpy") and not isinstance(y, np.ndarray):
        y = y.to_numpy()
    try:
        values = np.asarray(y)
        if not isinstance(y, np.ndarray) and _loses_values(values, y):
            values = np.array(y, dtype=object)
    except ValueError as error:
        raise DataError(
            "The target y holds sequences of different lengths; one value for each row is needed.",
            code="D074",
        ) from error
    if values.dtype.kind == "c":
        raise DataError("Complex data not supported: the target y is complex.", code="D073")
    return values


def _loses_values(values: npt.NDArray[Any], y: Any) -> bool:
    """Whether NumPy turned None, NaN and numbers into text, or long whole numbers into floats."""
    if values.dtype.kind == "U":
        return not all(isinstance(value, str) for value in y)
    if values.dtype.kind != "f" or values.ndim != 1 or not (np.abs(values) > 2**53).any():
        return False
    return all(isinstance(value, int | np.integer) for value in y)


def _one_dimension(values: npt.NDArray[Any], n_rows: int) -> npt.NDArray[Any]:
    if values.ndim == 2 and values.shape[1] == 1:
        warn(
            "A column-vector y was passed when a 1d array was expected. Please change the shape of "
            "y to (n_samples,), for example using ravel().",
            DataConversionWarning,
        )
        values = values[:, 0]
    if values.ndim != 1:
        raise DataError(
            f"y should be a 1d array, got an array of shape {values.shape} instead.",
            code="D074",
            repair=Repair("y = y[:, 0]" if values.ndim == 2 else None),
        )
    if len(values) != n_rows:
        raise DataError(
            f"Found input variables with inconsistent numbers of samples: X has {n_rows} rows, y "
            f"has {len(values)}.",
            code="D075",
        )
    return values


def is_missing(values: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Return which values are missing."""
    if values.dtype.kind == "f":
        return np.asarray(np.isnan(values))
    if values.dtype.kind in "mM":
        return np.asarray(np.isnat(values))
    if values.dtype.kind == "O":
        # None, NaN, NaT and pandas.NA: the last compares to nothing, so it is known by its name.
        return np.array(
            [v is None or type(v).__name__ in {"NAType", "NaTType"} or v != v for v in values],
            dtype=bool,
        )
    return np.zeros(len(values), dtype=bool)


def _refuse_missing(values: npt.NDArray[Any]) -> None:
    missing = is_missing(values)
    rows = np.flatnonzero(missing)
    if len(rows):
        raise DataError(
            f"Input y contains NaN. The target has {len(rows)} missing values; a model cannot "
            "learn from rows whose answer is unknown.",
            code="D071",
            rows=rows[:5],
            n_rows=len(rows),
            repair=Repair(
                "import numpy, pandas\n"
                "from branchline import Table\n"
                "y = numpy.array(y, dtype=object)\n"
                "keep = ~pandas.isna(y)\n"
                "model.fit(Table(X)[keep], y[keep])"
            ),
        )


def _refuse_infinite(values: npt.NDArray[Any]) -> None:
    rows = np.flatnonzero(np.isinf(values)) if values.dtype.kind == "f" else ()
    if len(rows):
        raise DataError(
            "Input y contains infinity or a value too large for dtype('float64').",
            code="D072",
            rows=rows[:5],
            n_rows=len(rows),
            repair=Repair(
                "import numpy\n"
                "from branchline import Table\n"
                "y = numpy.array(y, dtype=float)\n"
                "keep = numpy.isfinite(y)\n"
                "model.fit(Table(X)[keep], y[keep])"
            ),
        )


def _refuse_continuous(names: npt.NDArray[Any], owner: Owner) -> None:
    if names.dtype.kind != "f" or (names == np.rint(names)).all():
        return
    kind = type_of_target(names)
    fraction = np.flatnonzero(names != np.rint(names))
    raise DataError(
        f"Unknown label type: {kind}. Maybe you are trying to fit a classifier, which expects "
        "discrete classes, on a regression target with continuous values.",
        code="D076",
        rows=fraction[:5],
        n_rows=len(fraction),
        values=names[fraction[:5]].tolist(),
        repair=owner.use_opposite(),
    )


def _as_numbers(values: npt.NDArray[Any], owner: Owner) -> npt.NDArray[np.float64]:
    if values.dtype.kind in "mM":
        days: npt.NDArray[np.float64] = as_table({"y": values})["y"].numbers()
        return days  # as in every column of dates
    try:
        return values.astype(np.float64)
    except OverflowError:  # a whole number beyond the largest float
        return np.array([_float_or_infinite(value) for value in values])
    except (TypeError, ValueError):
        pass
    text = [row for row, value in enumerate(values) if not _is_number(value)]
    raise KindError(
        f"{owner.name} predicts numbers, but the target y holds text. A classifier predicts "
        "classes.",
        code="K012",
        rows=text[:5],
        n_rows=len(text),
        values=dict.fromkeys(str(values[row]) for row in text[:50]),
        repair=owner.use_opposite(),
    )


def _float_or_infinite(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return np.inf


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True
