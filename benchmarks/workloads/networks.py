"""Structures of Bayesian networks against pyAgrum (C++): a random network as large as "alarm"."""

from typing import Any

import numpy as np

from benchmarks._harness import Bench, workload
from benchmarks._peers import import_peer

N_COLUMNS, N_ARCS, N_ROWS = 37, 46, 5_000


@workload("network-structure", bar=1.0, against="pyagrum", why="the peer is compiled, too")
def network_structure(bench: Bench) -> None:
    """Find the structure of 37 columns and 46 arcs in 5,000 rows; the score is the BIC per row."""
    levels = _random_network()
    bench.compare(
        {
            "branchline": lambda: _ours(levels),
            "pyagrum": lambda: _pyagrum(levels),
        },
        score=lambda parents: _bic(levels, parents) / len(levels),
        closeness=0.0,
    )


def _random_network(seed: int = 0) -> Any:
    """Draw a network and rows from it: 2 to 4 levels, at most 4 parents, near in the order."""
    draws = np.random.default_rng(seed)
    parents: list[list[int]] = [[] for _ in range(N_COLUMNS)]
    n_arcs = 0
    while n_arcs < N_ARCS:
        parent, child = sorted(int(each) for each in draws.choice(N_COLUMNS, 2, replace=False))
        if child - parent <= 12 and parent not in parents[child] and len(parents[child]) < 4:
            parents[child].append(parent)
            n_arcs += 1
    n_levels = draws.choice([2, 2, 3, 3, 4], N_COLUMNS)
    levels = np.zeros((N_ROWS, N_COLUMNS), dtype=np.uint16)
    for column, held in enumerate(parents):
        place = np.zeros(N_ROWS, dtype=np.intp)
        for parent in held:
            place = place * n_levels[parent] + levels[:, parent]
        n_places = int(np.prod(n_levels[held])) if held else 1
        shares = draws.dirichlet(np.full(n_levels[column], 0.5), size=n_places)
        ends = np.cumsum(shares[place], axis=1)[:, :-1]
        levels[:, column] = (draws.random(N_ROWS)[:, None] > ends).sum(axis=1)
    return levels


def _ours(levels: Any) -> Any:
    from branchline import Table
    from branchline.density import BayesianNetwork

    table = Table({f"c{at:02}": column.astype(str) for at, column in enumerate(levels.T)})

    def fit() -> list[list[int]]:
        held = BayesianNetwork().fit(table).parents_
        return [[int(name[1:]) for name in held[f"c{at:02}"]] for at in range(N_COLUMNS)]

    return fit


def _pyagrum(levels: Any) -> Any:
    import pandas

    gum = import_peer("pyagrum")
    frame = pandas.DataFrame({f"c{at:02}": c.astype(str) for at, c in enumerate(levels.T)})

    def fit() -> list[list[int]]:
        learner = gum.BNLearner(frame)
        learner.setNumberOfThreads(1)
        learner.useScoreBIC()
        learner.useLocalSearchWithTabuList(10, 2)
        graph = learner.learnDAG()
        return [sorted(graph.parents(at)) for at in range(N_COLUMNS)]

    return fit


def _bic(levels: Any, parents: list[list[int]]) -> float:
    total, n_levels = 0.0, levels.max(axis=0).astype(int) + 1
    for column, held in enumerate(parents):
        family = [*held, column]
        shape = tuple(n_levels[family])
        places = np.ravel_multi_index(tuple(levels[:, family].T.astype(int)), shape)
        counts = np.bincount(places, minlength=int(np.prod(shape))).reshape(-1, shape[-1])
        known = counts[counts > 0]
        of_rows = counts.sum(axis=1)
        total += float((known * np.log(known)).sum())
        total -= float((of_rows[of_rows > 0] * np.log(of_rows[of_rows > 0])).sum())
        total -= 0.5 * np.log(len(levels)) * (counts.size - len(counts))
    return total
