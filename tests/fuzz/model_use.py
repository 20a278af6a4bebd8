"""The models that mutants are made of, and everything one can do with a model that loads."""

import copy
import io
import pickle
import warnings
from functools import cache
from typing import Any

import numpy as np
from scipy.sparse import issparse

import branchline
from branchline import Table
from branchline._saving._write import to_bytes
from branchline.errors import BranchlineError, BranchlineWarning, DataError, KindError
from branchline.features._selector import Selector
from branchline.table import Column, Field
from common.estimators import ESTIMATORS
from common.tables import kind_of_target, matrix_target, mixed_frame, numeric_matrix, target
from fuzz.tree_use import read_tree, use_tree
from saved_models import MODELS, OTHER_MODELS, saved

__all__ = ["fitted_models", "on_mixed", "saved_models", "use", "use_tree", "warm_up"]

EXTREMES = (0.0, -0.0, 1.0, -1.0, 1e308, -1e308, 5e-324, float("nan"), 2.0**53, 163.25)
N_ROWS = len(EXTREMES)
# What a model may say about each row of a table, and read of itself without one.
SAYS = (
    "transform", "predict", "predict_proba", "predict_log_proba", "predict_joint_log_proba",
    "decision_function", "predict_std", "reconstruction_error", "apply", "score_samples",
)  # fmt: skip
READS = (
    "complexity", "to_text", "coefficients", "summary", "odds_ratios", "get_feature_names_out",
)  # fmt: skip
# What says nothing of the prediction and may be infinite: the logarithm of a probability of 0, and
# a density beyond all bounds.
MAY_BE_INFINITE = frozenset(("predict_log_proba", "predict_joint_log_proba"))


def saved_models() -> tuple[bytes, ...]:
    """Return files of every estimator, of trees of every make, and with classes of every type."""
    of_each = [to_bytes(model) for model in fitted_models()]
    stump, majority = ESTIMATORS["stump"], ESTIMATORS["majority"]
    typed = [to_bytes(model) for kind in (stump, majority) for model in _of_all_classes(kind)]
    of_makes = map(saved, (*MODELS, *OTHER_MODELS))
    return tuple(dict.fromkeys([*of_makes, *of_each, *typed]))


@cache
def fitted_models() -> tuple[Any, ...]:
    """Return every estimator, fitted: for all campaigns of a process, which must not change it."""
    return tuple(on_mixed(model) for model in ESTIMATORS.values())


def on_mixed(model: Any) -> Any:
    """Return an estimator of the same parameters, fitted on a small table of every kind."""
    frame = mixed_frame(60)
    return _fresh(model).fit(frame, target(frame, kind_of_target(model)))


def warm_up() -> None:
    """Use models of several rooms once: what their libraries hold on to is no mutant's memory."""
    for name in ("voting of many kinds", "several outputs of a net", "costs"):
        use((MODELS.get(name) or OTHER_MODELS[name])())
    use(on_mixed(ESTIMATORS["hashed"]))


def _of_all_classes(model: Any) -> list[Any]:
    matrix = numeric_matrix(40, 3)
    y = matrix_target(matrix, "classification")
    names = (y, y > 0, y.astype(float), (y > 0).astype(object), np.array(list("abc"))[y])
    return [_fresh(model).fit(matrix, classes) for classes in names]


def _fresh(model: Any) -> Any:
    return type(model)(**model.get_params(deep=False))


# -- everything one can do ----------------------------------------------------------------------


def use(model: Any) -> None:
    """Predict, read, save, load and pickle; any exception or odd number is a failure."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", BranchlineWarning)
        rows = rows_of(model)
        before = outputs(model, rows)
        _check_outputs(model, before)
        _predict_other_tables(model)
        words = _words(model, rows)
        if hasattr(model, "tree_"):
            use_tree(model.tree_)
            read_tree(model, rows)
        _use_rows(model, rows, before)
        content = to_bytes(model)
        for twin in (branchline.load(io.BytesIO(content)), pickle.loads(pickle.dumps(model))):
            after = outputs(twin, rows)
            assert before.keys() == after.keys()
            assert all(_same(before[name], after[name]) for name in before), "outputs changed"
            assert to_bytes(twin) == content, "the file changed"
            assert _words(twin, rows) == words, "the words changed"


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


# -- what it says -------------------------------------------------------------------------------


def outputs(model: Any, rows: Any) -> dict[str, Any]:
    """Return all that the model says about rows, by method."""
    said = {name: getattr(model, name)(rows) for name in SAYS if hasattr(model, name)}
    if hasattr(model, "kneighbors"):
        said["distances"], said["neighbors"] = model.kneighbors(rows, n_neighbors=1)
    if isinstance(model, Selector):  # hands on columns of the table, whatever they hold
        return {name: model.support_[None].repeat(rows.n_rows, axis=0) for name in said}
    return {name: each.toarray() if issparse(each) else each for name, each in said.items()}


def _check_outputs(model: Any, said: dict[str, Any]) -> None:
    assert said
    for name, each in said.items():
        assert len(each) == N_ROWS
        if each.dtype.kind == "f":
            assert not np.isnan(each).any(), f"{name} is not a number"
            assert name in MAY_BE_INFINITE or np.isfinite(each).all(), f"{name} is not finite"
    if model._task == "regression":
        assert said["predict"].dtype == np.float64
    if model._task == "classification":
        assert set(said["predict"].tolist()) <= set(model.classes_.tolist())
    if "predict_proba" in said:
        shares = said["predict_proba"]
        classes = model.classes_ if hasattr(model, "classes_") else model.weights_
        assert shares.shape == (N_ROWS, len(classes))
        assert (shares >= 0).all()
        np.testing.assert_allclose(shares.sum(axis=1), 1, atol=1e-5)


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
    say = next(getattr(model, name) for name in SAYS if hasattr(model, name))
    for other in others:
        try:
            say(other)
        except (DataError, KindError) as error:
            str(error).encode()


# -- what there is to read ----------------------------------------------------------------------


def _words(model: Any, rows: Table) -> list[str]:
    """Return all that a model says of what it learned, and why it predicts as it does."""
    words = [str(model.schema_)]
    words += [str(getattr(model, name)()) for name in READS if hasattr(model, name)]
    if hasattr(model, "explain"):
        for place in (4, 7):
            explained = model.explain(rows.rows([place]))
            words += [str(explained), repr(explained.to_dict())]
    # Not compared with a twin's: an array that was given as a parameter comes back as a list.
    named = [repr(model), repr(model.get_params())]
    assert all(isinstance(text.encode("utf-8"), bytes) for text in (*words, *named))
    assert model.complexity().count > 0
    return words


# -- what needs rows with a target --------------------------------------------------------------


def _use_rows(model: Any, rows: Table, said: dict[str, Any]) -> None:
    """Learn from more rows, leave rows out, compare members: an answer or an error with a code."""
    y = said.get("predict")
    actions = {
        "partial_fit": lambda learner: learner.partial_fit(rows, y),
        "edit": lambda learner: learner.edit(),
        "condense": lambda learner: learner.condense(),
        "ambiguity": lambda learner: learner.ambiguity(rows, y),
        "inverse_transform": lambda learner: learner.inverse_transform(said["transform"]),
    }
    for name, action in actions.items():
        if not hasattr(model, name):
            continue
        try:
            made = action(copy.deepcopy(model))
        except BranchlineError as error:
            str(error).encode()
        else:
            if hasattr(made, "schema_"):
                _check_outputs(made, outputs(made, rows))


def _same(one: Any, other: Any) -> bool:
    return one.dtype == other.dtype and np.array_equal(one, other)
