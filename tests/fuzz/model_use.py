"""The models that mutants are made of, and everything one can do with a model that loads."""

import io
import pickle
import warnings
from typing import Any

import numpy as np

import branchline
from branchline import Table
from branchline._saving._write import to_bytes
from branchline.errors import BranchlineWarning, DataError, KindError
from branchline.table import Column, Field
from common.estimators import ESTIMATORS
from common.tables import matrix_target, mixed_frame, numeric_matrix, target

__all__ = ["saved_models", "use"]

EXTREMES = (0.0, -0.0, 1.0, -1.0, 1e308, -1e308, 5e-324, float("nan"), 2.0**53, 163.25)
N_ROWS = len(EXTREMES)


def saved_models() -> tuple[bytes, ...]:
    """Return a file of every estimator on tables of all kinds of columns and with all classes."""
    return tuple(
        to_bytes(fitted)
        for model in ESTIMATORS.values()
        for fitted in (_on_mixed(model), *_on_numbers(model))
    )


def _on_mixed(model: Any) -> Any:
    frame = mixed_frame(60)
    return _fresh(model).fit(frame, target(frame, model._task))


def _on_numbers(model: Any) -> list[Any]:
    matrix = numeric_matrix(40, 3)
    y = matrix_target(matrix, model._task)
    if model._task == "regression":
        return [_fresh(model).fit(matrix, y)]
    return [
        _fresh(model).fit(matrix, classes)
        for classes in (y, y > 0, y.astype(float), (y > 0).astype(object), np.array(list("abc"))[y])
    ]


def _fresh(model: Any) -> Any:
    return type(model)(**model.get_params())


# -- everything one can do ----------------------------------------------------------------------


def use(model: Any) -> None:
    """Predict, print, save, load and pickle; any exception or odd number is a failure."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", BranchlineWarning)
        rows = rows_of(model)
        before = outputs(model, rows)
        _check_outputs(model, before)
        _predict_other_tables(model)
        _check_words(model)
        for twin in (_saved(model), pickle.loads(pickle.dumps(model))):
            after = outputs(twin, rows)
            assert all(map(_same, before, after)), "predictions changed"
            assert to_bytes(twin) == to_bytes(model), "the file changed"


def rows_of(model: Any) -> Table:
    """Return rows in the model's own columns: extremes, missing and unseen ones."""
    columns = [_column(field, shift) for shift, field in enumerate(model.schema_)]
    return Table.from_columns(columns, named=model.schema_.named)


def _column(field: Field, shift: int) -> Column:
    if field.type.kind == "category":
        codes = [-2, -1, 0, len(field.type.categories) - 1]
        codes = [code for code in codes if code < len(field.type.categories)]
        return Column(field.name, field.type, np.resize(np.roll(codes, shift), N_ROWS).astype("i4"))
    if field.type.is_time:
        holes = np.arange(N_ROWS) % 4 == shift % 4
        moments = np.resize([0, -1, 10**4, -(2**62), 2**62, 7, 10**15], N_ROWS).astype(np.int64)
        return Column(field.name, field.type, moments, holes)
    return Column(field.name, field.type, np.roll(EXTREMES, shift))


def outputs(model: Any, rows: Any) -> list[Any]:
    """Return all that the model says about rows."""
    methods = ("predict", "predict_proba", "predict_log_proba", "apply")
    return [getattr(model, name)(rows) for name in methods if hasattr(model, name)]


def _check_outputs(model: Any, seen: list[Any]) -> None:
    assert all(len(each) == N_ROWS for each in seen)
    if model._task == "regression":
        assert seen[0].dtype == np.float64
        assert np.isfinite(seen[0]).all(), "a prediction is not finite"
        return
    predicted, shares = seen[:2]
    assert shares.shape == (N_ROWS, len(model.classes_))
    assert (shares >= 0).all()
    np.testing.assert_allclose(shares.sum(axis=1), 1, atol=1e-5)
    assert set(predicted.tolist()) <= set(model.classes_.tolist())


def _predict_other_tables(model: Any) -> None:
    """Predict on tables that need not fit: an answer, or an error that says why not."""
    names, width = model.schema_.names, model.n_features_in_
    odd = ["", "a", 1, True, "Mons", "2020-01-31", "nan", None, 1.5, "1e400"]
    others = [
        np.resize(EXTREMES, (N_ROWS, width)),
        np.zeros((0, width)),
        [dict.fromkeys(names, cell) for cell in odd],
        [[cell] * width for cell in odd],
        {name: np.resize(["x", "Liège", "True"], 3) for name in names},
        {name: np.array(["2020-01-31", "NaT"], dtype="datetime64[s]") for name in names},
        mixed_frame(5),
    ]
    for other in others:
        try:
            outputs(model, other)
        except (DataError, KindError) as error:
            str(error).encode()


def _check_words(model: Any) -> None:
    words = [repr(model), repr(model.get_params()), str(model.schema_)]
    if hasattr(model, "to_text"):
        words.append(model.to_text())
    assert all(text.encode("utf-8") for text in words)


def _saved(model: Any) -> Any:
    model.save("again.branchline")
    with open("again.branchline", "rb") as file:
        return branchline.load(io.BytesIO(file.read()))


def _same(one: Any, other: Any) -> bool:
    return one.dtype == other.dtype and np.array_equal(one, other)
