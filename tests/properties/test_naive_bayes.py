"""Naive Bayes, by property: like its twin; batches add up to the whole; sums are exact."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from branchline.bayes import NaiveBayes
from branchline.bayes._cells import MOST_CELLS, count_cells
from branchline.bayes._class_rows import ClassRows
from branchline.bayes._class_sums import class_sums, moments_of
from branchline.bayes._number_groups import number_groups
from branchline.table import Table
from twins import naive_bayes as twin

numbers = st.floats(allow_nan=False, allow_infinity=False)
tame = st.integers(-1000, 1000).map(lambda k: k / 8)
names = st.sampled_from(["a", "b", "c", None])
pytestmark = pytest.mark.filterwarnings("ignore::branchline.errors.BranchlineWarning")


def rows_of(cell, *, least=1, most=40):
    return st.lists(st.tuples(cell, st.integers(0, 2)), min_size=least, max_size=most)


near = st.floats(-1e9, 1e9, allow_subnormal=False, width=32).map(lambda x: x / 3)


@settings(max_examples=150)
@given(
    rows_of(st.one_of(numbers, st.just(np.nan))) | rows_of(st.one_of(near, st.just(np.nan))),
    st.booleans(),
    st.integers(1, 2**45),
)
def test_sums_are_exact_for_all_floats(rows, weighted, largest):
    values, kinds = (list(part) for part in zip(*rows, strict=True))
    rng = np.random.default_rng(len(rows))
    units = rng.integers(1, largest + 1, len(rows)) if weighted else None
    group = next(iter(number_groups(Table(np.array([values]).T), [0])))
    found = class_sums(group, ClassRows.of(np.array(kinds), 3, units))
    weights = [1] * len(rows) if units is None else units.tolist()
    firsts, seconds = found.whole_sums(0)
    for kind in range(3):
        own = [place for place, k in enumerate(kinds) if k == kind]
        expected = twin.exact_sums([values[i] for i in own], [weights[i] for i in own])
        assert (firsts[kind], seconds[kind]) == expected
        total = sum(weights[i] for i in own if values[i] == values[i])
        assert found.units[0, kind] == total
        moments = (found.mean[0, kind], found.deviation[0, kind])
        assert moments == moments_of(total, *expected)
    everyone = moments_of(int(found.units.sum()), sum(firsts), sum(seconds))
    assert (found.mean[0, -1], found.deviation[0, -1]) == everyone


@given(rows_of(tame, least=2), tame, st.sampled_from([0.5, 1.0, 3.0]))
def test_gaussian_curves_equal_their_twin(rows, x, prior):
    values, kinds = (list(part) for part in zip(*rows, strict=True))
    assume(len(set(values)) > 1)
    model = NaiveBayes(numeric="gaussian", variance_prior=prior, priors="equal")
    model.fit(np.array([values]).T, kinds)
    classes = {kind: place for place, kind in enumerate(sorted(set(kinds)))}
    expected = twin.gaussian_scores(values, [classes[k] for k in kinds], len(classes), x, prior)
    found = model.predict_joint_log_proba(np.array([[x]]))[0] + np.log(len(classes))
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


@given(rows_of(names), names, st.sampled_from([0.1, 1.0, 7.0]))
def test_frequencies_equal_their_twin(rows, cell, alpha):
    cells, kinds = (list(part) for part in zip(*rows, strict=True))
    model = NaiveBayes(alpha=alpha, priors="equal")
    model.fit(Table([{"x": c, "y": "k"} for c in cells], kinds={"x": "category"}), kinds)
    classes = {kind: place for place, kind in enumerate(sorted(set(kinds)))}
    expected = twin.category_scores(cells, [classes[k] for k in kinds], len(classes), cell, alpha)
    row = Table([{"x": cell, "y": "k"}], kinds={"x": "category"})
    found = model.predict_joint_log_proba(row)[0] + np.log(len(classes))
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


@given(
    st.lists(
        st.tuples(tame | st.just(np.nan), names, st.integers(0, 2), st.integers(1, 5)),
        min_size=3,
        max_size=60,
    ),
    st.lists(st.integers(1, 59), max_size=3),
    st.sampled_from(["kernel", "gaussian", "binned", "auto"]),
)
def test_batches_add_up_to_the_whole(rows, cuts, numeric):
    frame = pd.DataFrame(rows, columns=["number", "name", "kind", "weight"])
    frame["name"] = frame["name"].astype("str").where(frame["name"].notna(), None)
    X, y, weight = frame[["number", "name"]], frame["kind"].to_numpy(), frame["weight"].to_numpy()
    whole = NaiveBayes(numeric=numeric).fit(X, y, sample_weight=weight)
    batches = NaiveBayes(numeric=numeric)
    for some in np.split(np.arange(len(frame)), sorted({cut for cut in cuts if cut < len(frame)})):
        batches.partial_fit(X.iloc[some], y[some], sample_weight=weight[some])
    np.testing.assert_array_equal(batches.predict_proba(X), whole.predict_proba(X))
    np.testing.assert_array_equal(batches.class_count_, whole.class_count_)


@settings(max_examples=15)
@given(st.integers(0, 2**32 - 1), st.integers(1, 9_999), st.floats(-300, 300))
def test_cells_of_parts_add_up_to_those_of_all(seed, cut, scale):
    rng = np.random.default_rng(seed)
    values = rng.standard_cauchy(10_000) * 10.0**scale
    kinds = rng.integers(0, 2, 10_000).astype(np.uint32)
    whole = count_cells(values, ClassRows.of(kinds, 2, None))
    parts = [
        count_cells(values[some], ClassRows.of(kinds[some], 2, None))
        for some in (slice(None, cut), slice(cut, None))
    ]
    together = parts[0].add(parts[1])
    assert together.dropped == whole.dropped
    assert len(whole.keys) <= MOST_CELLS
    np.testing.assert_array_equal(together.keys, whole.keys)
    np.testing.assert_array_equal(together.units, whole.units)
    assert whole.units.sum() == 10_000
