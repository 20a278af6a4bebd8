"""Bayesian networks the slow way: scores from counts, all networks, all completions of a row."""

import itertools
import math

import numpy as np


def family_score(levels, units, n_levels, child, parents, *, is_bdeu=False, sample_size=1.0):
    """Return BIC or BDeu of a column, given its parents, from a dictionary of counts."""
    cells = {}
    for row, unit in zip(levels, units, strict=True):
        key = tuple(row[p] for p in parents)
        cells.setdefault(key, [0] * n_levels[child])[row[child]] += int(unit)
    q, r = math.prod(n_levels[p] for p in parents), n_levels[child]
    if is_bdeu:
        a, b = sample_size / q, sample_size / (q * r)
        return sum(
            math.lgamma(a)
            - math.lgamma(a + sum(counts))
            + sum(math.lgamma(b + n) - math.lgamma(b) for n in counts)
            for counts in cells.values()
        )
    fit = sum(n * math.log(n / sum(counts)) for counts in cells.values() for n in counts if n)
    return fit - 0.5 * math.log(max(1, sum(units))) * q * (r - 1)


def best_score(levels, units, n_levels, max_parents, forbidden=(), **rule):
    """Return the highest score of all networks without a cycle: over all orders of columns."""
    n = len(n_levels)
    scores = {
        (child, parents): family_score(levels, units, n_levels, child, parents, **rule)
        for child in range(n)
        for size in range(min(n - 1, max_parents) + 1)
        for parents in itertools.combinations([p for p in range(n) if p != child], size)
        if not any((p, child) in forbidden for p in parents)
    }
    best = -math.inf
    for order in itertools.permutations(range(n)):
        total = 0.0
        for at, child in enumerate(order):
            before = set(order[:at])
            total += max(s for (c, p), s in scores.items() if c == child and before.issuperset(p))
        best = max(best, total)
    return best


def joint(network, row):
    """Return the probability of a complete row."""
    return math.prod(
        network.tables[at][tuple(row[p] for p in (*network.parents[at], at))]
        for at in range(len(network))
    )


def completions(network, row, missing):
    """Return all completions of a row with their probabilities."""
    choices = [
        range(r) if cell == missing else [int(cell)]
        for cell, r in zip(row, network.n_levels, strict=True)
    ]
    return {full: joint(network, full) for full in itertools.product(*choices)}


def marginal(network, row, missing, column):
    """Return p(column | known cells)."""
    row = np.array(row)
    row[column] = missing
    found = np.zeros(network.n_levels[column])
    for full, share in completions(network, row, missing).items():
        found[full[column]] += share
    return found / found.sum()
