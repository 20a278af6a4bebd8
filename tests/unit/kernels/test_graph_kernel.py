"""Weisfeiler–Lehman: its slow twin, the algebra, learners on graphs, what is refused."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import branchline
from branchline import Table
from branchline.errors import BranchlineError, ParameterError
from branchline.kernels import RBF, WeisfeilerLehman
from branchline.svm import SVC, SVCGrid


@st.composite
def graphs(draw):
    n = draw(st.integers(0, 6))
    labels = draw(st.lists(st.sampled_from("CNO"), min_size=n, max_size=n))
    pairs = [(i, j) for i in range(n) for j in range(i, n)]
    chosen = draw(st.lists(st.sampled_from(pairs), unique=True, max_size=8)) if pairs else []
    kinds = draw(st.lists(st.sampled_from("ab"), min_size=len(chosen), max_size=len(chosen)))
    return labels, [(i, j, kind) for (i, j), kind in zip(chosen, kinds, strict=True)]


def as_text(graph):
    labels, edges = graph
    return " ".join(labels) + " | " + " ".join(f"{i}-{j}:{kind}" for i, j, kind in edges)


def twin(one, other, n_rounds):
    """The formula, with labels written out as trees."""

    def counts(graph):
        labels, edges = list(graph[0]), graph[1]
        found = Counter()
        for at in range(n_rounds + 1):
            found.update((at, label) for label in labels)
            new = []
            for k, label in enumerate(labels):
                ends = [(kind, labels[j]) for i, j, kind in edges if i == k]
                ends += [(kind, labels[i]) for i, j, kind in edges if j == k != i]
                new.append(repr((label, sorted(ends))))
            labels = new
        return found

    first, second = counts(one), counts(other)
    return sum(count * second[key] for key, count in first.items())


@given(st.lists(graphs(), min_size=1, max_size=5), st.integers(0, 3))
def test_it_equals_its_slow_twin(some, n_rounds):
    table = Table({"graph": [as_text(one) for one in some] + ["C"]})
    rows = [*some, (["C"], [])]
    kernel = WeisfeilerLehman(n_rounds=n_rounds)
    expected = [[twin(one, other, n_rounds) for other in rows] for one in rows]
    assert kernel.gram(table).tolist() == expected
    assert kernel.gram(table, table).tolist() == expected
    assert kernel.diag(table).tolist() == np.diag(expected).tolist()
    assert kernel.is_psd(table).is_psd


def test_node_order_does_not_matter():
    ring, same = "C C O N | 0-1 1-2 2-3 3-0", "O N C C | 3-0 0-1 1-2 2-3"
    kernel = WeisfeilerLehman().normalized()
    assert kernel.gram([ring, same]) == pytest.approx(np.ones((2, 2)))
    assert kernel.gram([ring, "C C O N | 0-1 1-2 2-3"])[0, 1] < 1


def test_an_edge_that_is_named_twice_is_one():
    gram = WeisfeilerLehman().gram(["C N | 0-1", "C N | 0-1 1-0 0-1"])
    assert gram.tolist() == [[8.0, 8.0], [8.0, 8.0]]


def molecules(n_rows=60):
    """Rings and paths of the same atoms."""
    random = np.random.default_rng(0)
    found, kinds = [], []
    for _ in range(n_rows):
        n = int(random.integers(4, 8))
        is_ring = bool(random.random() < 0.5)
        edges = [f"{k}-{k + 1}" for k in range(n - 1)] + ([f"{n - 1}-0"] if is_ring else [])
        found.append(" ".join(random.choice(["C", "N"], n)) + " | " + " ".join(edges))
        kinds.append("ring" if is_ring else "path")
    return found, kinds


def test_learners_take_graphs_and_keep_them(tmp_path):
    texts, kinds = molecules()
    kernels = [WeisfeilerLehman(n_rounds=k).normalized() for k in (0, 1, 2)]
    grid = SVCGrid([1.0, 100.0], kernel=kernels, n_folds=4).fit(texts[:40], kinds[:40])
    assert grid.best_params_["kernel"] != kernels[0]
    assert grid.score(texts[40:], kinds[40:]) >= 0.8
    grid.save(tmp_path / "model")
    loaded = branchline.load(tmp_path / "model")
    assert (loaded.predict(texts) == grid.predict(texts)).all()


def test_graphs_beside_numbers_and_missing_ones():
    texts, kinds = molecules(30)
    table = Table({"graph": [None, *texts[1:]], "size": np.arange(30.0)})
    kernel = WeisfeilerLehman("graph").normalized() + RBF("size", gamma=0.01)
    assert kernel.is_mercer
    assert SVC(kernel=kernel).fit(table, kinds).predict(table).shape == (30,)
    assert WeisfeilerLehman("graph").gram(table)[0].tolist() == [0.0] * 30


@pytest.mark.parametrize("text", ["C C | 0-2", "C C | 01", "C | a-b", "C C | 0--1", "| 0-0"])
def test_what_is_not_a_graph_is_refused(text):
    with pytest.raises(BranchlineError) as caught:
        WeisfeilerLehman().gram(["C C | 0-1", text])
    assert caught.value.code == "D654"
    scope = {}
    exec(caught.value.repair.python, scope)
    assert WeisfeilerLehman().gram(scope["X"]).shape == (2, 2)


@pytest.mark.parametrize("n_rounds", [-1, 1.5, "2", None])
def test_bad_rounds_are_refused(n_rounds):
    with pytest.raises(ParameterError):
        WeisfeilerLehman(n_rounds=n_rounds)
