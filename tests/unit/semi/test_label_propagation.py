"""Labels that go along the links of a graph."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_moons

import branchline
from branchline.errors import BranchlineWarning, DataError
from branchline.semi import LabelPropagation, LabelSpreading
from branchline.semi._row_graph import row_graph
from twins.few_labels import propagated, spread

BOTH = [LabelPropagation, LabelSpreading]


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize("seed", range(3))
def test_two_moons_with_two_labels(kind: type, seed: int) -> None:
    X, y = make_moons(300, noise=0.05, random_state=seed)
    known = np.full(300, np.nan)
    for label in (0, 1):
        known[np.flatnonzero(y == label)[0]] = label
    model = kind().fit(X, known)
    assert (model.transduction_ == y).mean() >= 0.98
    np.testing.assert_array_equal(model.predict(X), model.transduction_)


def problem(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 2))
    known = np.array([None] * 40, dtype=object)
    known[:6] = ["a", "b", "c", "a", "b", "c"]
    return X, known


def graph_of(model: object, known: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    kept = model._kept  # type: ignore[attr-defined]
    shares, mass = model._shares, model._mass  # type: ignore[attr-defined]
    labeled = np.zeros((len(kept), 3))
    graph, _, _ = row_graph(kept.comparison, kept.points, shares.max(axis=1) == 1, 7)
    return graph.toarray(), mass, labeled


def test_it_is_where_repeated_propagation_ends() -> None:
    X, known = problem()
    model = LabelPropagation().fit(X, known)
    is_fixed = model._shares.max(axis=1) == 1
    weights, mass, _ = graph_of(model, known)
    expected = propagated(weights, mass, np.where(is_fixed[:, None], model._shares, 0.0))
    np.testing.assert_allclose(model._shares, expected, atol=1e-6)


def test_spreading_is_where_repeated_spreading_ends() -> None:
    X, known = problem()
    weight = np.random.default_rng(1).integers(1, 4, 40)
    model = LabelSpreading(alpha=0.8).fit(X, known, sample_weight=weight)
    hard = LabelPropagation().fit(X, known, sample_weight=weight)
    is_fixed = hard._shares.max(axis=1) == 1
    weights, mass, _ = graph_of(hard, known)
    labels = np.where(is_fixed[:, None], hard._shares, 0.0)
    expected = spread(weights, mass, labels, 0.8)
    expected /= expected.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model._shares, expected, atol=1e-7)


@pytest.mark.parametrize("kind", BOTH)
def test_weights_are_copies_and_order_does_not_matter(kind: type) -> None:
    X, known = problem()
    copies = np.random.default_rng(2).integers(0, 4, 40)
    copies[:6] += 1
    rows = np.random.default_rng(3).permutation(np.repeat(np.arange(40), copies))
    weighted = kind().fit(X, known, sample_weight=copies)
    repeated = kind().fit(X[rows], known[rows])
    np.testing.assert_array_equal(weighted.predict_proba(X), repeated.predict_proba(X))
    assert len(weighted.transduction_) == 40
    np.testing.assert_array_equal(weighted.transduction_[rows], repeated.transduction_)


@pytest.mark.parametrize("kind", BOTH)
def test_a_mixed_table_with_every_way_to_be_missing(kind: type) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"height": rng.normal(size=60), "town": rng.choice(["Mons", "Ath"], 60), "id": range(60)}
    )
    frame.loc[::7, "height"] = np.nan
    text = pd.Series(np.where(frame["town"] == "Mons", "yes", "no"), dtype=object)
    results = []
    for missing in (None, np.nan, pd.NA):
        known = text.copy()
        known[5:] = missing
        results.append(kind().fit(frame, known).transduction_)
    np.testing.assert_array_equal(results[0], results[1])
    np.testing.assert_array_equal(results[0], results[2])
    assert results[0].dtype.kind == "U"


def test_class_mass_keeps_the_shares_of_the_labels() -> None:
    X, known = problem()
    known[6:9] = "a"
    model = LabelPropagation(class_mass="labels").fit(X, known)
    shares = model.label_distributions_[9:]
    assert shares.argmax(axis=1).max() <= 2
    plain = LabelPropagation().fit(X, known).label_distributions_[9:]
    assert shares[:, 0].mean() > plain[:, 0].mean() - 0.2


@pytest.mark.parametrize("kind", BOTH)
def test_one_row_one_class_and_no_class(kind: type) -> None:
    with pytest.warns(BranchlineWarning, match="only one class"):
        model = kind().fit([[1.0], [2.0]], ["a", None])
    assert model.predict([[5.0]]).tolist() == ["a"]
    with pytest.raises(DataError, match="No row has a label"):
        kind().fit([[1.0], [2.0]], [None, None])


def test_a_saved_model_says_the_same(tmp_path: object) -> None:
    X, known = problem()
    for kind in BOTH:
        model = kind().fit(X, known)
        path = tmp_path / f"{kind.__name__}.bl"  # type: ignore[operator]
        model.save(path)
        again = branchline.load(path)
        np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
        assert again.n_linked_ == model.n_linked_


@pytest.mark.parametrize(
    ("y", "warns"),
    [([0, 1, -1, -1], True), ([0, 1, None, -1], False), ([-1, 1, 1, -1], False),
     ([-2, -1, 0, 1], False)],
)  # fmt: skip
def test_minus_one_is_a_class_and_a_warning_says_so(y: list, warns: bool) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = LabelPropagation().fit([[0.0], [1.0], [2.0], [3.0]], y)
    assert -1 in model.classes_
    assert [one.message.code for one in caught] == ["W073"] * warns
