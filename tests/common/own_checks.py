"""What every estimator of ours must obey, beyond scikit-learn's checks.

A check is a function of an unfitted estimator; it must not change it. ``CHECKS`` lists them all.
"""

import inspect
import json
import multiprocessing
import pickle
import signal
import sys
import tempfile
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any
from zlib import crc32

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn
from scipy import sparse
from sklearn.base import clone
from sklearn.callback import ProgressBar
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

import branchline
from branchline import Table
from branchline._saving._write import parameters_of
from branchline.boosting._sequence import Sequence
from branchline.encoding import TableEncoder
from branchline.ensemble._ensemble import Ensemble
from branchline.errors import BranchlineWarning, DataError, NotFittedError, ParameterError
from branchline.features._selector import Selector
from branchline.forest._forest import Forest
from branchline.linear import BasisExpansion
from branchline.projection import MDS
from branchline.tree import RuleListClassifier
from branchline.tree._tree_estimator import TreeEstimator
from branchline.tree.soft._soft_estimator import SoftTree
from common.tables import kind_of_target, matrix_target, mixed_frame, numeric_matrix, target


def fit_mixed(model: Any) -> tuple[Any, pd.DataFrame, Any]:
    """Return the model fitted on the mixed table: one fit for all checks, which must not change it.

    Checks of one estimator follow each other, so only the last one is kept.
    """
    return _fitted_once(model, "mixed", _mixed_problem)


def fit_matrix(model: Any) -> tuple[Any, Any, Any]:
    """Return the model fitted on a matrix of numbers, likewise."""
    return _fitted_once(model, "matrix", _matrix_problem)


def _mixed_problem(model: Any) -> tuple[Any, Any]:
    frame = mixed_frame()
    return frame, target(frame, kind_of_target(model))


def _matrix_problem(model: Any) -> tuple[Any, Any]:
    matrix = numeric_matrix()
    return matrix, matrix_target(matrix, kind_of_target(model))


_LAST: dict[str, tuple[Any, Any]] = {}  # by the name of the problem: an estimator, its fitted twin


def _fitted_once(
    model: Any, name: str, problem: Callable[[Any], tuple[Any, Any]]
) -> tuple[Any, Any, Any]:
    X, y = problem(model)
    last, fitted = _LAST.get(name, (None, None))
    if last is not model:
        fitted = clone(model).fit(X, y)
        _LAST[name] = (model, fitted)
    return fitted, X, y


def say(model: Any, X: Any) -> Any:
    """Return what a model says about rows: its predictions, or numbers for them."""
    methods = ("predict", "transform", "score_samples")
    return told(model, next(name for name in methods if hasattr(model, name)), X)


def told(model: Any, method: str, X: Any) -> Any:
    """Return the output of a method; of a selector, a number for the columns that it hands on."""
    found = getattr(model, method)(X)
    if not isinstance(model, Selector):
        return found
    names = sorted(str(name) for name in model.get_feature_names_out())
    shape = found.shape if hasattr(found, "shape") else (len(found), len(found[0]))
    assert shape[1] == len(names)
    return np.full(shape[0], float(crc32(",".join(names).encode())))


def outputs(model: Any, X: Any) -> list[Any]:
    """Return everything the model says about rows, for comparison to the last bit."""
    methods = ("transform", "predict", "predict_proba", "predict_log_proba", "apply")
    if not any(hasattr(model, name) for name in methods):
        methods = ("score_samples",)
    return [told(model, name, X) for name in methods if hasattr(model, name)]


def same(a: Any, b: Any, X: Any, X_of_b: Any = None) -> None:
    for left, right in zip(outputs(a, X), outputs(b, X if X_of_b is None else X_of_b), strict=True):
        agree(a, left, right)


def agree(model: Any, left: Any, right: Any) -> None:
    """Compare predictions to the last bit, or as closely as a learner on floats promises."""
    if model._tolerance == 0 or np.asarray(left).dtype.kind != "f":
        np.testing.assert_array_equal(left, right)
        return
    size = max(1.0, float(np.abs(left[np.isfinite(left)]).max(initial=0.0)))
    np.testing.assert_allclose(left, right, rtol=model._tolerance, atol=size * model._tolerance)


# -- how rows, weights and threads may not matter ---------------------------------------------


def check_row_order_does_not_matter(model: Any) -> None:
    fitted, frame, y = fit_mixed(model)
    for seed in range(2):
        order = np.random.default_rng(seed).permutation(len(frame))
        again = clone(model).fit(frame.iloc[order], y[order])
        if model._learns_in_sequence:
            continue
        # To the last bit for all: learners on floats take rows in an order of their own.
        for left, right in zip(outputs(fitted, frame), outputs(again, frame), strict=True):
            np.testing.assert_array_equal(left, right)


def check_thread_count_does_not_matter(model: Any) -> None:
    if "n_jobs" not in model.get_params():
        return
    fitted, frame, y = fit_mixed(model)
    for n_jobs in (1, 2, 7, -1):
        again = clone(model).set_params(n_jobs=n_jobs).fit(frame, y)
        same(fitted, again, frame)


def check_weight_k_equals_k_copies(model: Any) -> None:
    if "sample_weight" not in inspect.signature(model.fit).parameters:
        return
    frame = mixed_frame()
    y = target(frame, kind_of_target(model))
    copies = np.random.default_rng(5).integers(0, 4, len(frame))
    rows = np.repeat(np.arange(len(frame)), copies)
    weighted = clone(model).fit(frame, y, sample_weight=copies)
    repeated = clone(model).fit(frame.iloc[rows], y[rows])
    same(weighted, repeated, frame)


def check_weight_zero_equals_removal(model: Any) -> None:
    if "sample_weight" not in inspect.signature(model.fit).parameters:
        return
    frame = mixed_frame()
    y = target(frame, kind_of_target(model))
    weight = np.random.default_rng(6).choice([0.0, 0.4, 1.7], len(frame))
    keep = weight > 0
    with_zeros = clone(model).fit(frame, y, sample_weight=weight)
    without = clone(model).fit(frame[keep], y[keep], sample_weight=weight[keep])
    same(with_zeros, without, frame)


def check_categories_of_no_training_row_do_not_matter(model: Any) -> None:
    frame = mixed_frame()
    y = target(frame, kind_of_target(model))
    names = [f"ward {number % 100}" for number in range(len(frame))]
    frame = frame.assign(ward=names)
    some = np.arange(len(frame)) % 100 < 50
    plain = clone(model).fit(frame[some], y[some])
    declared = frame.assign(ward=pd.Categorical(names))
    same(plain, clone(model).fit(declared[some], y[some]), frame[some], declared[some])
    if "sample_weight" in inspect.signature(model.fit).parameters:
        weighted = clone(model).fit(frame, y, sample_weight=some.astype(int))
        same(plain, weighted, frame[some])


def check_scale_of_weights_does_not_matter(model: Any) -> None:
    if "sample_weight" not in inspect.signature(model.fit).parameters:
        return
    frame = mixed_frame()
    y = target(frame, kind_of_target(model))
    weight = np.random.default_rng(7).uniform(0.2, 3.0, len(frame))
    once = clone(model).fit(frame, y, sample_weight=weight)
    again = clone(model).fit(frame, y, sample_weight=weight * 8.0)
    same(once, again, frame)


# -- how predictions may be asked for ---------------------------------------------------------


def check_concurrent_predictions_agree(model: Any) -> None:
    fitted, frame, _ = fit_mixed(model)
    expected = say(fitted, frame)
    with ThreadPoolExecutor(8) as pool:
        for found in pool.map(partial(say, fitted), [frame] * 16):
            np.testing.assert_array_equal(found, expected)


def check_one_by_one_equals_batch(model: Any) -> None:
    fitted, frame, _ = fit_mixed(model)
    table, rows = Table(frame), range(0, len(frame), 3)
    singles = [say(fitted, table.rows([row]))[0] for row in rows]
    agree(model, say(fitted, frame)[::3], np.array(singles))


def check_few_rows_are_read_as_many_are(model: Any) -> None:
    """The short way from a few rows to a table (``few_rows``) gives the bits of the common way."""
    frame = mixed_frame().drop(columns=["born"])  # dates have no short way
    y = target(frame, kind_of_target(model))
    mixed = clone(model).fit(frame, y)
    records = frame.astype(object).where(frame.notna(), None).to_dict("records")
    numbers, matrix, _ = fit_matrix(model)
    rows = [0, 7, 31, 64, 77]
    singles = [(mixed, frame.iloc[[row]]) for row in rows]
    singles += [(mixed, [records[row]]) for row in rows] + [(mixed, [records[row] for row in rows])]
    singles += [(numbers, matrix[[row]]) for row in rows] + [(numbers, matrix[rows])]
    for fitted, X in singles:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("branchline._validation._door.few_rows", lambda X, schema: None)
            expected = outputs(fitted, X)
        for short, common in zip(outputs(fitted, X), expected, strict=True):
            np.testing.assert_array_equal(short, common)


def check_fit_and_predict_work_in_forked_and_spawned_workers(model: Any) -> None:
    fitted, frame, y = fit_mixed(model)
    expected = say(fitted, frame)
    with multiprocessing.get_context("fork").Pool(1) as pool:
        np.testing.assert_array_equal(pool.apply(_refit, (model, frame, y)), expected)
    workers = joblib.Parallel(n_jobs=2, backend="loky")
    for found in workers(joblib.delayed(_refit)(model, frame, y) for _ in range(2)):
        np.testing.assert_array_equal(found, expected)


def _refit(model: Any, frame: pd.DataFrame, y: Any) -> Any:
    return say(clone(model).fit(frame, y), frame)


# -- what happens when a fit does not end well --------------------------------------------------


def check_interrupt_leaves_the_estimator_unfitted(model: Any) -> None:
    frame = mixed_frame(250)
    y = target(frame, kind_of_target(model))
    expected = say(clone(model).fit(frame, y), frame)
    before = pickle.dumps(clone(model).fit(frame[:50], y[:50]))
    n_interrupted = 0
    for delay in np.geomspace(0.0003, 0.02, 6):
        fitted = pickle.loads(before)
        if _interrupted_fit(fitted, frame, y, float(delay)):
            n_interrupted += 1
            assert not [name for name in vars(fitted) if name.endswith("_")]
            with pytest.raises(NotFittedError):
                say(fitted, frame)
            if n_interrupted == 1:
                np.testing.assert_array_equal(say(fitted.fit(frame, y), frame), expected)
    assert n_interrupted > 0


def _interrupted_fit(model: Any, frame: pd.DataFrame, y: Any, delay: float) -> bool:
    """Fit, with Ctrl-C after ``delay`` seconds; return whether it came while fitting."""

    def press(_: int, at: FrameType | None) -> None:
        if _is_below_fit(at):  # before and after, it would end the tests instead of the fit
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, press)
    signal.setitimer(signal.ITIMER_REAL, delay)
    try:
        model.fit(frame, y)
    except KeyboardInterrupt:
        return True
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    return False


def _is_below_fit(at: FrameType | None) -> bool:
    callers = []
    while at is not None:
        callers.append(at.f_code.co_name)
        at = at.f_back
    return "fit_or_forget" in callers[1:]


def check_failed_fit_leaves_the_estimator_unfitted(model: Any) -> None:
    once, frame, y = fit_mixed(model)
    fitted = pickle.loads(pickle.dumps(once))
    with pytest.raises(DataError):
        fitted.fit(frame.assign(height=np.inf), y)
    with pytest.raises(NotFittedError):
        say(fitted, frame)
    assert len(say(fitted.fit(frame, y), frame)) == len(frame)


# -- every way the same numbers can lie in memory -------------------------------------------------


def check_memory_layout_does_not_matter(model: Any) -> None:
    fitted, matrix, y = fit_matrix(model)
    wide = np.full((len(matrix), 9), 7.0)
    strided = wide[::-1, 1::2]  # rows from last to first, every second column
    strided[:] = matrix
    for layout in (np.asfortranarray(matrix), strided, matrix.astype(">f8"), matrix.tolist()):
        same(fitted, clone(model).fit(layout, y), matrix, layout)
    dense = np.nan_to_num(matrix)
    stored = sparse.csr_array(dense)
    same(clone(model).fit(dense, y), clone(model).fit(stored, y), dense, stored)


def check_memory_mapped_input(model: Any) -> None:
    """Rows in a file, which are also rows that cannot be written to."""
    fitted, matrix, y = fit_matrix(model)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "X.npy"
        np.save(path, matrix)
        mapped = np.load(path, mmap_mode="r")
        assert not mapped.flags.writeable
        same(fitted, clone(model).fit(mapped, y), matrix, mapped)
        del mapped


def check_float32_equals_the_same_numbers_in_float64(model: Any) -> None:
    narrow = numeric_matrix().astype(np.float32)
    y = matrix_target(narrow, kind_of_target(model))
    same(clone(model).fit(narrow, y), clone(model).fit(narrow.astype(np.float64), y), narrow)


def check_input_is_never_changed(model: Any) -> None:
    matrix = numeric_matrix()
    y = matrix_target(matrix, kind_of_target(model))
    before = matrix.copy(), y.copy()
    say(clone(model).fit(matrix, y), matrix)
    np.testing.assert_array_equal(matrix, before[0])
    np.testing.assert_array_equal(y, before[1])


def check_containers_do_not_matter(model: Any) -> None:
    fitted, frame, y = fit_mixed(model)
    records = frame.astype(object).where(frame.notna(), None).to_dict("records")
    for other in (pl.from_pandas(frame), pa.Table.from_pandas(frame), Table(frame)):
        again = clone(model).fit(other, y)
        # Containers number categories differently, so nodes may be numbered differently too.
        for method in ("transform", "predict", "predict_proba"):
            if hasattr(model, method):
                agree(model, told(fitted, method, frame), told(again, method, other))
    # Records carry no declared categories, so only the predictions must agree.
    again = clone(model).fit(records, y)
    agree(model, say(fitted, frame), say(again, records))


# -- columns by name -------------------------------------------------------------------------------

# A single tree takes the first of two columns that separate the rows of a node equally well; what
# is made of such trees does so, too. Terms of encoders stand in the order of columns.
_FIRST_COLUMN_WINS = (
    TreeEstimator,
    SoftTree,
    RuleListClassifier,
    Sequence,
    Ensemble,
    TableEncoder,
    BasisExpansion,
)


def check_column_order_at_fit_does_not_matter(model: Any) -> None:
    if isinstance(model, _FIRST_COLUMN_WINS):
        return
    fitted, frame, y = fit_mixed(model)
    for seed in range(2):
        columns = np.random.default_rng(seed).permutation(frame.columns).tolist()
        again = clone(model).fit(frame[columns], y)
        for method in ("transform", "predict", "predict_proba"):
            if not hasattr(model, method):
                continue
            left, right = told(fitted, method, frame), told(again, method, frame)
            if isinstance(model, Forest) or left.dtype.kind != "f":
                np.testing.assert_array_equal(left, right)
            else:  # floats are added up in the order of columns
                np.testing.assert_allclose(left, right, rtol=1e-6, atol=1e-6 * np.abs(left).max())


def check_column_order_at_prediction_does_not_matter(model: Any) -> None:
    fitted, frame, _ = fit_mixed(model)
    same(fitted, fitted, frame, frame[list(frame.columns)[::-1]])


def check_extra_columns_are_ignored_and_reported(model: Any) -> None:
    fitted, frame, _ = fit_mixed(model)
    with pytest.warns(BranchlineWarning, match="shoe"):
        found = say(fitted, frame.assign(shoe=41))
    np.testing.assert_array_equal(found, say(fitted, frame))


def check_absent_column_is_named(model: Any) -> None:
    fitted, frame, _ = fit_mixed(model)
    with pytest.raises(DataError, match="'town'") as caught:
        say(fitted, frame.drop(columns="town"))
    assert caught.value.column == "town"


def check_array_after_frame_warns(model: Any) -> None:
    matrix = numeric_matrix()
    frame = pd.DataFrame(matrix, columns=list("abcd"))
    fitted = clone(model).fit(frame, matrix_target(matrix, kind_of_target(model)))
    with pytest.warns(BranchlineWarning, match="feature names"):
        found = say(fitted, matrix)
    np.testing.assert_array_equal(found, say(fitted, frame))


# -- odd data --------------------------------------------------------------------------------------


def check_unseen_categories_are_predicted(model: Any) -> None:
    fitted, frame, _ = fit_mixed(model)
    abroad = frame.assign(town="Paris", grade=pd.Categorical(["none"] * len(frame)))
    with pytest.warns(BranchlineWarning, match="was there when the model was fitted"):
        found = say(fitted, abroad)
    agree(model, found[:5], say(fitted, abroad[:5]))  # a few go unremarked


def check_constant_duplicate_and_empty_columns(model: Any) -> None:
    plain, frame, y = fit_mixed(model)
    odd = frame.assign(one=1, same=frame["height"], void=np.nan, word="x")
    fitted = clone(model).fit(odd, y)
    assert len(say(fitted, odd)) == len(odd)
    if model._copies_of_columns_count:
        odd = odd.drop(columns="same")
        fitted = clone(model).fit(odd, y)
    agree(model, say(plain, frame), say(fitted, odd))


def check_one_and_two_rows(model: Any) -> None:
    frame = mixed_frame()
    y = target(frame, kind_of_target(model))
    for n_rows in (1, 2):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", BranchlineWarning)  # there may be one class only
            fitted = clone(model).fit(frame[:n_rows], y[:n_rows])
        assert len(say(fitted, frame)) == len(frame)


def check_extreme_numbers(model: Any) -> None:
    tiny = np.nextafter(0.0, 1.0)
    values = [tiny, -tiny, 0.0, -0.0, 1e300, -1e300, 1.7e308, np.nan, 2.5e-310, 3.0]
    matrix = np.array([values, values[::-1]], dtype=np.float64).T
    matrix = np.vstack([matrix] * 4)
    y = np.tile(np.arange(len(values)) % 2, 4)
    y = y * 1.5e300 if model._task == "regression" else y
    with warnings.catch_warnings():
        # Scaled, the small ones are equal rows of both classes, which a margin may have to say.
        warnings.filterwarnings("ignore", "No margin was found", BranchlineWarning)
        fitted = clone(model).fit(matrix, y)
    assert np.isfinite(say(fitted, matrix).astype(float)).all()


def check_three_thousand_categories(model: Any) -> None:
    rng = np.random.default_rng(0)
    names = np.array([f"id{number}" for number in range(3000)])
    frame = pd.DataFrame({"id": names[rng.permutation(3000)], "x": rng.normal(size=3000)})
    y = matrix_target(np.c_[frame["x"], frame["x"]], kind_of_target(model))
    # All distances of 3,000 rows, a minute until the map settles: its first steps will do.
    fitted = clone(model).set_params(**({"max_iter": 5} if isinstance(model, MDS) else {}))
    assert len(say(fitted.fit(frame, y), frame)) == 3000


def check_infinity_is_refused_with_its_column(model: Any) -> None:
    frame = mixed_frame()
    y = target(frame, kind_of_target(model))
    frame.loc[7, "height"] = np.inf
    with pytest.raises(DataError) as caught:
        clone(model).fit(frame, y)
    assert (caught.value.column, caught.value.rows) == ("height", (7,))
    with pytest.raises(DataError, match="infinity"):
        say(clone(model).fit(frame[:7], y[:7]), frame)


def check_powers_of_two_do_not_matter(model: Any) -> None:
    fitted, matrix, y = fit_matrix(model)
    same(fitted, clone(model).fit(matrix * 4, y), matrix, matrix * 4)


# -- reading --------------------------------------------------------------------------------------


def check_one_row_is_explained(model: Any) -> None:
    if not hasattr(model, "explain"):
        return
    fitted, frame, _ = fit_mixed(model)
    for row in (frame[:1], frame[:1].to_dict("records")[0], Table(frame).rows([0])):
        explained = fitted.explain(row)
        expected = say(fitted, frame[:1])[0]
        agree(model, np.array([expected]), np.array([explained.prediction]))
        needed = getattr(fitted, "needed_schema_", fitted.schema_).names  # the inputs it chose
        assert sorted(part.column for part in explained.parts) == sorted(needed)
        assert np.isfinite([explained.total, *(part.amount for part in explained.parts)]).all()
        if explained.is_sum:
            total = explained.base + sum(part.amount for part in explained.parts)
            np.testing.assert_allclose(total, explained.total, rtol=1e-9, atol=1e-9)
        assert all(f"{part.column} = " in str(explained) for part in explained.parts[:1])
        json.dumps(explained.to_dict(), allow_nan=False)
    with pytest.raises(ParameterError, match="One row"):
        fitted.explain(frame[:2])


def check_complexity_is_counted(model: Any) -> None:
    fitted, _, _ = fit_mixed(model)
    assert fitted.complexity().count >= 1
    assert str(fitted.complexity()).split()[1:]
    with pytest.raises(NotFittedError):
        clone(model).complexity()


# -- saving, copying, tools ---------------------------------------------------------------------


def check_saved_model_predicts_the_same(model: Any) -> None:
    fitted, frame, _ = fit_mixed(model)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.branchline"
        fitted.save(path)
        loaded = branchline.load(path)
        same(fitted, loaded, frame)
        assert parameters_of(loaded) == parameters_of(fitted)
        loaded.save(Path(folder) / "again.branchline")
        assert path.read_bytes() == (Path(folder) / "again.branchline").read_bytes()


def check_pickled_model_predicts_the_same(model: Any) -> None:
    fitted, frame, _ = fit_mixed(model)
    same(fitted, pickle.loads(pickle.dumps(fitted)), frame)


def check_scikit_learn_tools_take_raw_tables(model: Any) -> None:
    frame = mixed_frame(60)
    y = target(frame, kind_of_target(model))
    for X in (frame, Table(frame), pl.from_pandas(frame)):
        if not hasattr(model, "predict") and hasattr(model, "transform"):
            assert len(clone(model).fit_transform(X, y)) == len(frame)
            continue
        if hasattr(model, "score"):  # what tells strange rows has nothing to be scored by
            assert len(cross_val_score(model, X, y, cv=2, error_score="raise")) == 2
    assert len(say(make_pipeline(clone(model)).fit(frame, y), frame)) == len(frame)
    if "min_samples_leaf" in model.get_params():
        search = GridSearchCV(model, {"min_samples_leaf": [1, 5]}, cv=2, error_score="raise")
        assert search.fit(Table(frame), y).best_params_["min_samples_leaf"] in (1, 5)


def check_metadata_routing(model: Any) -> None:
    if "sample_weight" not in inspect.signature(model.fit).parameters:
        return
    frame = mixed_frame()
    y = target(frame, kind_of_target(model))
    weight = np.random.default_rng(3).integers(1, 3, len(frame))
    with sklearn.config_context(enable_metadata_routing=True):
        routed = clone(model).set_fit_request(sample_weight=True)
        piped = make_pipeline(routed).fit(frame, y, sample_weight=weight)
    same(clone(model).fit(frame, y, sample_weight=weight), piped[-1], frame)


def check_progress_callbacks_are_followed(model: Any) -> None:
    frame = mixed_frame()
    bar = ProgressBar()
    clone(model).set_callbacks(bar).fit(frame, target(frame, kind_of_target(model)))


def check_html_repr_and_feature_names(model: Any) -> None:
    fitted, frame, _ = fit_mixed(model)
    assert type(model).__name__ in fitted._repr_html_()
    assert list(fitted.feature_names_in_) == list(frame.columns)
    assert fitted.n_features_in_ == frame.shape[1]


def check_misspelled_parameters_are_refused_by_name(model: Any) -> None:
    for name in model.get_params(deep=False):
        with pytest.raises(TypeError, match=f"Did you mean '{name}'"):
            type(model)(**{name + "s": 1})
        with pytest.raises(ValueError, match=f"Did you mean '{name}'"):
            clone(model).set_params(**{name + "s": 1})


def check_bad_parameter_values_name_what_is_allowed(model: Any) -> None:
    frame = mixed_frame()
    y = target(frame, kind_of_target(model))
    for name in model._constraints:
        for value in (object(), "no such value", -3):
            with pytest.raises(branchline.errors.ParameterError, match=f"'{name}' parameter"):
                clone(model).set_params(**{name: value}).fit(frame, y)


def _all_checks(module: ModuleType) -> dict[str, Callable[[Any], None]]:
    return {
        name.removeprefix("check_"): check
        for name, check in vars(module).items()
        if name.startswith("check_")
    }


CHECKS = _all_checks(sys.modules[__name__])
