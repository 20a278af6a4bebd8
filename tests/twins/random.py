"""The twin of the random kernels; random.hpp states what they compute."""

from collections import defaultdict
from decimal import Decimal, localcontext

import numpy as np

WORD = 2**64
GOLDEN = 0x9E3779B97F4A7C15


def philox(counter, key):
    """Draw one block with NumPy's generator, which counts up once before it draws."""
    before = (sum(int(word) << (64 * place) for place, word in enumerate(counter)) - 1) % 2**256
    words = [(before >> (64 * place)) % WORD for place in range(4)]
    generator = np.random.Philox(
        counter=np.array(words, dtype=np.uint64), key=np.array(key, dtype=np.uint64)
    )
    return generator.random_raw(4)


def mix(x):
    """The finaliser of SplitMix64."""
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 % WORD
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB % WORD
    return x ^ (x >> 31)


def row_keys(columns, target):
    """Hash each row's target, then its codes, column after column."""
    keys = [mix((int(bits) + GOLDEN) % WORD) for bits in target]
    for codes in columns:
        keys = [
            mix((key * GOLDEN + int(code) + 1) % WORD)
            for key, code in zip(keys, codes, strict=True)
        ]
    return keys


def first_copies(keys, copies):
    """Number the copies of rows with equal keys in the order of rows."""
    taken = defaultdict(int)
    first = []
    for key, count in zip(keys, copies, strict=True):
        first.append(taken[int(key)])
        taken[int(key)] += int(count)
    return first


def poisson_limits(n=20):
    """Return P(Poisson(1) ≤ k) · 2^64, rounded down, for k = 0, 1, …."""
    with localcontext() as context:
        context.prec = 60
        limits, total, term = [], Decimal(0), 1 / Decimal(1).exp()
        for k in range(n):
            total += term
            term /= k + 1
            limits.append(int(total * WORD))
        return limits


def bootstrap_counts(keys, copies, first, seed, task):
    """Sum Poisson(1) draws over copies; copy number c reads word c % 4 of block c // 4."""
    limits = np.array(poisson_limits(), dtype=np.uint64)
    counts = []
    for key, count, start in zip(keys, copies, first, strict=True):
        draws = [
            philox([key, copy // 4, 0, 0], [seed, task])[copy % 4]
            for copy in range(int(start), int(start) + int(count))
        ]
        counts.append(int(np.searchsorted(limits, np.array(draws), side="right").sum()))
    return counts
