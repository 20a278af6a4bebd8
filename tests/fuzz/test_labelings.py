"""A few tables of ``python -m fuzz.labelings``: the labels found are the best of all labelings."""

import dataclasses

import pytest

from fuzz import labelings

SEED = 1
N_TABLES = 40


@pytest.mark.parametrize("part", range(8))
def test_no_labeling_is_better(part):
    for number in range(part, N_TABLES, 8):
        assert labelings.attempt(SEED, number) in {"usable", "refused"}


def test_labels_that_are_not_the_best_are_found_out(monkeypatch):
    exact = labelings._exact

    def hasty(problem, start, max_nodes):
        """Stop at the labels that turning signs of one row makes worse, and call them proved."""
        found = exact(problem, start, max_nodes)
        worse = max(
            (problem.whole(labels) for labels in _neighbors(problem, found.labels)),
            key=lambda machine: machine.primal,
            default=None,
        )
        if worse is None or worse.primal < found.machine.primal * 1.001:
            return found
        return dataclasses.replace(found, machine=worse, bound=worse.primal)

    monkeypatch.setattr(labelings, "_exact", hasty)
    with pytest.raises(AssertionError):
        _attempt_all()


def _attempt_all():
    for number in range(N_TABLES):
        labelings.attempt(SEED, number)


def _neighbors(problem, labels):
    for at in range(len(labels)):
        turned = labels.copy()
        turned[at] = -turned[at]
        if problem.least <= problem.mass[turned > 0].sum() <= problem.most:
            yield turned
