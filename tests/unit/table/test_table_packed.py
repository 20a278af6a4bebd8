"""A wide table of floats becomes one matrix, and nothing else changes."""

import numpy as np
import pytest

from branchline import Table, make

RNG = np.random.default_rng(6)


def _columns(n_columns: int = 80) -> dict[str, np.ndarray]:
    return {f"g{at}": RNG.normal(size=30) for at in range(n_columns)}


def test_only_many_plain_floats_are_packed() -> None:
    wide = Table(_columns())
    assert wide.matrix is None
    packed = wide.packed()
    assert packed.matrix is not None
    assert packed.schema == wide.schema
    assert packed.to_dicts() == wide.to_dicts()
    assert packed.packed() is packed
    for other in (Table(_columns(10)), Table(_columns() | {"n": np.arange(30)})):
        assert other.packed() is other


def test_missing_cells_and_marks_of_rows_stay() -> None:
    columns = _columns()
    columns["g3"][4] = np.nan
    packed = Table(columns).with_groups(np.arange(30) // 2).packed()
    assert packed.column("g3").is_missing.nonzero()[0].tolist() == [4]
    assert packed.groups is not None


@pytest.mark.parametrize("learner", ["naive_bayes", "lda", "nearest_neighbors", "random_forest"])
def test_a_fit_does_not_depend_on_it(learner: str, monkeypatch: pytest.MonkeyPatch) -> None:
    table, y = Table(_columns()), np.arange(30) % 2
    packed = make(learner, task="classification").fit(table, y).predict_proba(table)
    monkeypatch.setattr(Table, "packed", lambda self: self)
    plain = make(learner, task="classification").fit(table, y).predict_proba(table)
    np.testing.assert_allclose(packed, plain, atol=1e-12)
