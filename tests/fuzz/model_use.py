"""The models that mutants are made of, and everything one can do with a model that loads."""

import io
import json
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
from saved_models import MODELS, saved

__all__ = ["saved_models", "use", "use_tree"]

EXTREMES = (0.0, -0.0, 1.0, -1.0, 1e308, -1e308, 5e-324, float("nan"), 2.0**53, 163.25)
N_ROWS = len(EXTREMES)
# Drawings, rules and tables are made of trees of so many nodes; they take their time.
FEW_NODES = 100


def saved_models() -> tuple[bytes, ...]:
    """Return files of every estimator, of trees of every make, and with classes of every type."""
    on_mixed = [to_bytes(_on_mixed(model)) for model in ESTIMATORS.values()]
    stump, majority = ESTIMATORS["stump"], ESTIMATORS["majority"]
    typed = [to_bytes(model) for kind in (stump, majority) for model in _of_all_classes(kind)]
    return tuple(dict.fromkeys([*map(saved, MODELS), *on_mixed, *typed]))


def _on_mixed(model: Any) -> Any:
    frame = mixed_frame(60)
    return _fresh(model).fit(frame, target(frame, model._task))


def _of_all_classes(model: Any) -> list[Any]:
    matrix = numeric_matrix(40, 3)
    y = matrix_target(matrix, "classification")
    names = (y, y > 0, y.astype(float), (y > 0).astype(object), np.array(list("abc"))[y])
    return [_fresh(model).fit(matrix, classes) for classes in names]


def _fresh(model: Any) -> Any:
    return type(model)(**model.get_params(deep=False))


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
        if hasattr(model, "tree_"):
            use_tree(model.tree_)
            _read(model, rows)
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
    assert all(text.encode("utf-8") for text in words)


def _saved(model: Any) -> Any:
    return branchline.load(io.BytesIO(to_bytes(model)))


def _same(one: Any, other: Any) -> bool:
    return one.dtype == other.dtype and np.array_equal(one, other)


# -- trees --------------------------------------------------------------------------------------


def use_tree(tree: Any) -> None:
    """Look at everything a tree's arrays say; what follows from the rest must follow."""
    inner = np.flatnonzero(~tree.is_leaf)
    assert tree.n_nodes == len(tree.parent) == len(tree.depth) == tree.n_leaves + len(inner)
    assert tree.max_depth < tree.n_nodes
    assert (np.concatenate(tree.levels()) == np.arange(tree.n_nodes)).all()
    assert (tree.depth[1:] == tree.depth[tree.parent[1:]] + 1).all()
    below = np.zeros_like(tree.content)
    np.add.at(below, tree.parent[1:], tree.content[1:])
    assert (below[inner] == tree.content[inner]).all(), "a node is not the sum of its children"
    assert (tree.weight > 0).all()
    assert np.isfinite(tree.value).all()
    assert tree.spread.shape == tree.variance.shape
    assert np.isfinite(tree.variance).all()
    assert (tree.variance >= 0).all()
    if tree.is_classification:
        assert (tree.value >= 0).all()
        np.testing.assert_allclose(tree.value.sum(axis=1), 1, atol=1e-9)


def _read(model: Any, rows: Table) -> None:
    """Read a tree in every way: words, rules, paths, tables, drawings."""
    tree = model.tree_
    assert model.to_text().encode("utf-8")
    assert len(model.used_columns_) <= model.n_features_in_
    assert np.isfinite(model.entropy_)
    importances = model.feature_importances_
    assert np.isfinite(importances).all()
    assert importances.sum() < 1 + 1e-9
    if hasattr(model, "decision_"):
        assert ((model.decision_ >= 0) & (model.decision_ < len(model.classes_))).all()
    if hasattr(model, "pruning_path_"):
        path = model.pruning_path_
        assert repr(path).encode("utf-8")
        assert len(path.to_pandas()) > path.chosen
        assert path.n_leaves[path.chosen] == model.get_n_leaves()
    if tree.n_nodes > FEW_NODES:
        return
    assert 1 <= len(model.rules()) <= 2 * tree.n_nodes
    assert str(model.path(rows)).encode("utf-8")
    assert len(model.to_frame()) == tree.n_nodes
    again = type(model).from_dict(json.loads(json.dumps(model.to_dict())))
    assert again.tree_.n_nodes == tree.n_nodes
    assert str(model.draw()).encode("utf-8")
