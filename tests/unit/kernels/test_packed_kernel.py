"""Kernels and prepared rows as plain values, and what is refused when they come back."""

import copy
import json
import pickle
from dataclasses import dataclass

import numpy as np
import pandas
import polars
import pytest

from branchline._saving._write import _packed
from branchline.errors import DataError, ModelFileError
from branchline.kernels import (
    RBF,
    Constant,
    FunctionKernel,
    Hamming,
    Laplacian,
    Linear,
    Polynomial,
    Precomputed,
    Sigmoid,
    Spectrum,
    TreeKernel,
    unpack_kernel,
)
from branchline.kernels._packed_kernel import pack_formula, unpack_formula
from branchline.kernels._points import StringPart
from branchline.kernels._string_kernel import StringKernel
from branchline.table import as_table
from branchline.tree import DecisionTreeClassifier

TABLE = as_table(
    {
        "height": [1.0, 2.0, None, 4.0, 2.5, 1.0],
        "color": ["red", "blue", "red", None, "green", "blue"],
    }
)
KERNELS = [
    Constant(2),
    Linear(),
    Polynomial(2, "height", gamma="scale"),
    RBF(),
    Laplacian("color", gamma="auto"),
    Sigmoid(),
    Hamming("color", decay=0.5),
    (RBF("height") * Hamming("color") + 2 * Linear()) ** 2 + 1,
    (Linear() + 1).normalized(),
]


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
@pytest.mark.parametrize("standardize", [False, True])
def test_what_was_packed_comes_back(kernel, standardize):
    fitted = kernel.fit(TABLE, standardize=standardize)
    points = fitted.prepare(TABLE)
    again = unpack_kernel(copy.deepcopy(fitted.pack()), TABLE.schema)
    assert again.kernel == kernel
    assert again.unpack_points(points.pack()).n_rows == 6
    rows = again.unpack_points(points.take([0, 2, 3]).pack())
    expected = fitted.gram(points, points.take([0, 2, 3]))
    np.testing.assert_array_equal(again.gram(again.prepare(TABLE), rows), expected)
    np.testing.assert_array_equal(again.diag(rows), fitted.diag(points)[[0, 2, 3]])


@pytest.mark.parametrize("kernel", [*KERNELS, Precomputed(), Spectrum("color", k=2)], ids=repr)
def test_formulas_go_through_json_and_pickle(kernel):
    text = json.dumps(pack_formula(kernel))
    assert unpack_formula(json.loads(text)) == kernel
    assert pickle.loads(pickle.dumps(kernel)) == kernel


def test_a_tampered_pickle_is_refused():
    for state in ({"columns": (), "gamma": -1.0}, {"columns": ()}, {"columns": 3, "gamma": 1.0}):
        kernel = object.__new__(RBF)
        with pytest.raises(ModelFileError):
            kernel.__setstate__(state)


def test_training_rows_of_a_given_gram_come_back_without_it():
    gram = np.array([[2.0, 1.0], [1.0, 3.0]])
    fitted = Precomputed().fit(as_table(gram))
    points = fitted.prepare(as_table(gram))
    rows = fitted.unpack_points(points.take([1]).pack())
    assert fitted.gram(points, rows).tolist() == [[1.0], [3.0]]
    with pytest.raises(DataError):
        fitted.gram(rows, rows)
    new = fitted.prepare(as_table([[1.0, 2.0]]))
    with pytest.raises(ModelFileError):
        new.pack()


def _block_product(A, B):
    return A @ B.T


def _first(row):
    return row[0]


def _live_kernels():
    X = np.arange(8.0).reshape(4, 2)
    tree = DecisionTreeClassifier().fit(X, [0, 1, 0, 1])
    return [
        FunctionKernel(_block_product),
        TreeKernel(tree),
        Linear().reweighted(_first),
        (Linear() + FunctionKernel(_block_product)) * RBF(),
    ]


@pytest.mark.parametrize("kernel", _live_kernels(), ids=repr)
def test_functions_and_models_are_for_pickles_only(kernel):
    X = np.arange(8.0).reshape(4, 2)
    with pytest.raises(ModelFileError) as caught:
        pack_formula(kernel)
    assert caught.value.code == "M006"
    assert "joblib" in caught.value.repair.python
    fitted = pickle.loads(pickle.dumps(kernel.fit(as_table(X))))
    again = unpack_kernel(fitted.pack(), as_table(X).schema)
    rows = again.unpack_points(fitted.prepare(as_table(X)).pack())
    np.testing.assert_array_equal(again.gram(rows, rows), kernel.gram(X))
    with pytest.raises(ModelFileError) as caught:
        _packed("kernel", fitted.pack(), [])  # as saving a model does
    assert caught.value.code == "M006"


def test_what_is_held_as_an_object_must_be_such_a_kernel():
    for held in (np.array([3], dtype=object), np.array([RBF()], dtype=object), np.zeros(1)):
        with pytest.raises(ModelFileError):
            unpack_formula(held)


def _places(state):
    """Every place in nested plain values, as a path."""
    inner = state.items() if isinstance(state, dict) else enumerate(state)
    for key, value in inner:
        yield (key,)
        if isinstance(value, dict | list):
            yield from ((key, *rest) for rest in _places(value))


def _changed(state, path, value):
    state = copy.deepcopy(state)
    inner = state
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return state


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
@pytest.mark.parametrize("value", [None, "nonsense", -1, float("nan"), [], {}, [[1]], 1e400])
def test_damaged_values_are_refused_or_harmless(kernel, value):
    fitted = kernel.fit(TABLE)
    packed, rows = fitted.pack(), fitted.prepare(TABLE).pack()
    for path in _places(packed):
        try:
            again = unpack_kernel(_changed(packed, path, value), TABLE.schema)
        except ModelFileError:
            continue
        points = again.prepare(TABLE)  # another kernel than before, but a sound one
        assert again.gram(points, points).shape == (6, 6)
    for path in _places(rows):
        if path == ("parts",) and value == rows["parts"] == []:
            continue  # a constant has no parts: nothing was damaged
        with pytest.raises(ModelFileError):
            fitted.unpack_points(_changed(rows, path, value))


def test_forged_values_are_refused():
    fitted = (RBF("height", gamma=0.5) + Hamming("color")).fit(TABLE)
    packed = fitted.pack()
    forged = [
        _changed(packed, ("learnt",), packed["learnt"][:1]),
        _changed(packed, ("learnt",), [*packed["learnt"], {}]),
        _changed(packed, ("learnt", 0, "gamma"), 0.75),
        {**packed, "more": 1},
    ]
    deep = packed["formula"]
    for _ in range(50):
        deep = {"kernel": "Normalized", "parameters": {"kernel": deep}}
    forged.append(_changed(packed, ("formula",), deep))
    for state in forged:
        with pytest.raises(ModelFileError):
            unpack_kernel(state, TABLE.schema)
    with pytest.raises(ModelFileError):
        unpack_kernel(packed, as_table({"height": [1.0]}).schema)


# -- kernels on texts: the base that they share -------------------------------------------------


@dataclass(frozen=True, repr=False)
class _Lengths(StringKernel):
    """The product of two lengths."""

    factor: float = 1.0

    def _gram(self, a: StringPart, b: StringPart, n_threads):
        lengths = [np.array([len(text) for text in part.texts], dtype=float) for part in (a, b)]
        return self.factor * np.outer(*lengths)

    def _diag(self, a: StringPart):
        return self.factor * np.array([float(len(text)) ** 2 for text in a.texts])


def test_texts_come_as_they_are():
    assert _Lengths().gram(["ab", None, "été"]).tolist() == [[4, 0, 10], [0, 0, 0], [10, 0, 25]]
    assert _Lengths(factor=2.0).gram(["ab"], ["unseen"]).tolist() == [[24.0]]
    assert _Lengths().gram(["01", "1"]).tolist() == [[4.0, 2.0], [2.0, 1.0]]
    for series in (pandas.Series(["ab", "c"]), polars.Series(["ab", "c"]), ("ab", "c")):
        assert _Lengths().diag(series).tolist() == [4.0, 1.0]
    both = (_Lengths("color") + Linear("height")).fit(TABLE)
    assert both.reads_text
    assert repr(_Lengths("color")) == "_Lengths('color', factor=1.0)"
    normal = _Lengths().normalized().gram(np.array(["abc", "a", ""], dtype=object))
    assert normal.tolist() == [[1, 1, 0], [1, 1, 0], [0, 0, 0]]


def test_a_column_that_holds_no_texts_is_refused():
    for name, table in (("height", TABLE), (None, as_table({"a": [1.0]})), (None, [["a", "b"]])):
        with pytest.raises(DataError) as caught:
            _Lengths(name).gram(table)
        assert caught.value.code == "D161"
    with pytest.raises(DataError) as caught:
        _Lengths("nowhere").gram(TABLE)
    assert caught.value.code == "D003"


def test_texts_are_packed_and_checked():
    fitted = Spectrum("color", k=2).fit(TABLE)
    again = unpack_kernel(fitted.pack(), TABLE.schema)
    assert again.kernel == fitted.kernel
    rows = fitted.prepare(TABLE).pack()
    assert again.unpack_points(rows).parts[0].texts[:2] == [b"red", b"blue"]
    with pytest.raises(ModelFileError):
        again.unpack_points(_changed(rows, ("parts", 0, "texts", 0), 3))
    for column in ("height", "nowhere", 3):
        with pytest.raises(ModelFileError):
            unpack_kernel(_changed(fitted.pack(), ("learnt", 0, "column"), column), TABLE.schema)
