"""``feature_importances_`` with intervals: they hold what other tables of the same kind give."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from branchline import Table, load_dataset
from branchline.assess import importance_intervals
from branchline.boosting import GradientBoostingRegressor
from branchline.errors import ParameterError
from branchline.forest import RandomForestClassifier
from branchline.tree import DecisionTreeClassifier, DecisionTreeRegressor


def draw(seed, n_rows=120):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 3))
    return X, X[:, 0] + 0.7 * X[:, 1] + 0.5 * rng.normal(size=n_rows)


def test_they_hold_the_mean_share_of_other_tables():
    def make():
        return DecisionTreeRegressor(max_depth=3, prune=None)

    every = np.array([make().fit(*draw(seed)).feature_importances_ for seed in range(200)])
    truth, held = every.mean(axis=0), []
    for seed in range(40):
        X, y = draw(seed)
        found = importance_intervals(make().fit(X, y), X, y, n_samples=15)
        by_name = {one.column: one.loss for one in found.columns}
        held += [by_name[name].low <= truth[at] <= by_name[name].high
                 for at, name in enumerate(Table(X).names[:2])]  # fmt: skip
    assert 0.88 <= np.mean(held) <= 1.0


@pytest.mark.parametrize(
    "model", [RandomForestClassifier(n_estimators=20), DecisionTreeClassifier(max_depth=3)]
)
def test_shares_ranks_words_and_charts(model):
    X, y = load_dataset("heart").split_target("disease")
    found = importance_intervals(model.fit(X, y), X, y, n_samples=6)
    shares = {one.column: one.loss.estimate for one in found.columns}
    assert list(shares.values()) == sorted(shares.values(), reverse=True)
    assert [shares[name] for name in X.names] == pytest.approx(model.feature_importances_.tolist())
    for one in found.columns:
        assert 0 <= one.loss.low <= one.loss.estimate <= one.loss.high <= 1
        assert one.rank_low <= one.rank <= one.rank_high
    assert "share of importance" in str(found)
    assert "…" in repr(found)
    assert "95 % interval" in found._repr_html_()
    assert "fitted again" in found.draw().text
    assert len(found.to_frame()) == len(X.names)


def test_row_order_does_not_matter():
    X, y = draw(0)
    order = np.random.default_rng(1).permutation(len(y))
    one = importance_intervals(GradientBoostingRegressor(n_estimators=5).fit(X, y), X, y,
                               n_samples=4)  # fmt: skip
    model = GradientBoostingRegressor(n_estimators=5).fit(X[order], y[order])
    other = importance_intervals(model, X[order], y[order], n_samples=4)
    for first, second in zip(one.columns, other.columns, strict=True):
        assert first.loss.high == pytest.approx(second.loss.high, abs=1e-12)


def test_a_model_without_importances_is_refused():
    X, y = draw(0)
    with pytest.raises(ParameterError) as caught:
        importance_intervals(LogisticRegression().fit(X, y > 0), X, y > 0)
    assert caught.value.code == "P590"
