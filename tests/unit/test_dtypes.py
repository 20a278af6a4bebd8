"""The dtypes that cross the border are the ones that ``_dtypes`` states: no more, no others."""

import ast
from pathlib import Path

import numpy as np
import pytest

import branchline
from branchline import _core, _dtypes
from branchline._dtypes import (
    CATEGORY,
    CLASS_INDEX,
    NODE_INDEX,
    NODE_KIND,
    POOL_OFFSET,
    RANDOM_WORD,
    THRESHOLD,
    UNITS,
)

# Every array argument of the compiled core, by function.
ARGUMENTS = {
    "fit_codes": {"n_categories": CATEGORY, "units": UNITS},
    "apply_codes": {"n_categories": CATEGORY},
    "philox": {"counter": RANDOM_WORD, "key": RANDOM_WORD},
    "row_keys": {"target": RANDOM_WORD},
    "first_copies": {"keys": RANDOM_WORD, "copies": UNITS},
    "bootstrap_counts": {"keys": RANDOM_WORD, "copies": UNITS, "first": UNITS},
    "find_test": {"n_codes": UNITS, "is_category": np.dtype(np.bool_)},
    "SearchTarget.__init__": {"class_of_row": CLASS_INDEX, "sum_of_row": UNITS, "units": UNITS},
    "BorrowedTree.__init__": {
        "kind": NODE_KIND,
        "feature": NODE_INDEX,
        "threshold": THRESHOLD,
        "first_child": NODE_INDEX,
        "missing_branch": NODE_INDEX,
        "pool_offset": POOL_OFFSET,
        "pool": NODE_INDEX,
    },
    "BorrowedTree.find_leaves": {"n_categories": CATEGORY},
}


def stub_arguments():
    """Return the array arguments that the stub shows, as {function: {argument: dtype}}."""
    stub = Path(branchline.__file__).with_name("_core.pyi")
    found = {}
    for outer in ast.parse(stub.read_text(encoding="utf-8")).body:
        inside = outer.body if isinstance(outer, ast.ClassDef) else [outer]
        prefix = f"{outer.name}." if isinstance(outer, ast.ClassDef) else ""
        for function in inside:
            if not isinstance(function, ast.FunctionDef):
                continue
            arrays = {
                argument.arg: dtype
                for argument in function.args.args
                if argument.annotation and (dtype := array_dtype(ast.unparse(argument.annotation)))
            }
            if arrays:
                found[prefix + function.name] = arrays
    return found


def array_dtype(annotation):
    if "NDArray[numpy." not in annotation:
        return None
    name = annotation.split("NDArray[numpy.")[1].split("]")[0]
    return np.dtype(getattr(np, name))


def test_the_stub_shows_the_stated_dtypes():
    shown = stub_arguments()
    for function, arguments in ARGUMENTS.items():
        assert shown[function] == arguments, function


def test_every_stated_dtype_crosses_somewhere():
    crossing = {dtype for arguments in ARGUMENTS.values() for dtype in arguments.values()}
    assert {getattr(_dtypes, name) for name in _dtypes.__all__} <= crossing


# The smallest call of each function that works.
VALID = {
    "fit_codes": {
        "columns": [np.zeros(2)],
        "n_categories": np.array([-1], CATEGORY),
        "units": np.ones(2, UNITS),
        "max_bins": 0,
        "n_threads": 1,
    },
    "apply_codes": {
        "columns": [np.zeros(2)],
        "n_categories": np.array([-1], CATEGORY),
        "lowest": [np.zeros(1, THRESHOLD)],
        "highest": [np.zeros(1, THRESHOLD)],
        "cpu_level": 0,
        "n_threads": 1,
    },
    "philox": {"counter": np.zeros(4, RANDOM_WORD), "key": np.zeros(2, RANDOM_WORD)},
    "row_keys": {"columns": [], "target": np.zeros(2, RANDOM_WORD), "n_threads": 1},
    "first_copies": {"keys": np.zeros(2, RANDOM_WORD), "copies": np.ones(2, UNITS)},
    "bootstrap_counts": {
        "keys": np.zeros(2, RANDOM_WORD),
        "copies": np.ones(2, UNITS),
        "first": np.zeros(2, UNITS),
        "seed": 0,
        "task": 0,
        "n_threads": 1,
    },
    "SearchTarget": {
        "class_of_row": np.zeros(2, CLASS_INDEX),
        "sum_of_row": np.zeros(2, UNITS),
        "units": np.ones(2, UNITS),
        "n_classes": 1,
    },
    "BorrowedTree": {
        "kind": np.zeros(1, NODE_KIND),
        "feature": np.zeros(1, NODE_INDEX),
        "threshold": np.zeros(1, THRESHOLD),
        "first_child": np.zeros(1, NODE_INDEX),
        "missing_branch": np.zeros(1, NODE_INDEX),
        "pool_offset": np.zeros(1, POOL_OFFSET),
        "pool": np.zeros(0, NODE_INDEX),
    },
}
OTHERS = [
    np.dtype(kind) for kind in ("?", "i1", "u1", "i2", "i4", "u4", "i8", "u8", "f4", "f8", "O")
]


@pytest.mark.parametrize("function", VALID)
def test_the_core_takes_the_stated_dtypes_and_converts_no_others(function):
    call, valid = getattr(_core, function), VALID[function]
    call(**valid)
    arrays = {name: value for name, value in valid.items() if isinstance(value, np.ndarray)}
    assert arrays
    for name, value in arrays.items():
        wrong = {dtype for dtype in (*OTHERS, value.dtype.newbyteorder()) if dtype != value.dtype}
        for dtype in wrong:
            with pytest.raises(TypeError):
                call(**{**valid, name: value.astype(dtype)})


def test_what_comes_out_has_the_stated_dtypes():
    codes, lowest, highest = _core.fit_codes(**VALID["fit_codes"])[0]
    assert codes.dtype == np.uint8
    assert lowest.dtype == highest.dtype == THRESHOLD
    assert _core.philox(**VALID["philox"]).dtype == RANDOM_WORD
    assert _core.row_keys(**VALID["row_keys"]).dtype == RANDOM_WORD
    assert _core.first_copies(**VALID["first_copies"]).dtype == UNITS
    assert _core.bootstrap_counts(**VALID["bootstrap_counts"]).dtype == np.uint32
    tree = _core.BorrowedTree(**VALID["BorrowedTree"])
    assert tree.find_leaves([np.zeros(2)], np.array([-1], CATEGORY), 1).dtype == NODE_INDEX


def test_numbers_are_float32_or_float64_and_nothing_else():
    for dtype in OTHERS:
        arguments = {**VALID["fit_codes"], "columns": [np.zeros(2, dtype)]}
        if dtype.kind == "f":
            _core.fit_codes(**arguments)
        else:
            with pytest.raises((TypeError, ValueError)):
                _core.fit_codes(**arguments)
