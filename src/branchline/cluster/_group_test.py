"""Whether a table has groups at all: its clusters against those of tables of one group.

W_k is the sum of squared distances of k clusters, and L_k = log(W_k / W_1). With r reference
tables, L_k is standardized over the table and its references; T is the largest fall below the mean
over all k. Under one group all r + 1 tables are alike, so p = (1 + number of references with at
least T) / (r + 1). There are three kinds of references (``_reference_tables``): normal ones, for
which the test is exact if the rows are normal with any correlations; ones with the shape of each
column; and, if some rows are farther out than in normal tables (Mardia 1970), ones that keep how
far out each row is. The largest p counts. If the table is not the first among 19 references, the
test ends.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from branchline import _core
from branchline._arrays import Floats, Places
from branchline._worker_threads import map_in_threads
from branchline.cluster._reference_tables import factor_of, fit_references, rotated, row_radii

__all__ = ["Clustered", "GroupTest", "cluster_rows", "group_test"]

_FIRST = 19
_AT_ONCE = 20  # tables that are drawn before they are measured
_ITERATIONS = 100
_NOTHING = 1e-12


@dataclass(frozen=True, eq=False)
class Clustered:
    """Rows in k clusters: centers, the cluster of each row, W."""

    centers: Floats
    labels: Places
    within: float


@dataclass(frozen=True, eq=False)
class GroupTest:
    """The test of one group.

    Parameters
    ----------
    p_value
        The probability of clusters as tight as these in a table of one group.
    log_within
        log(W_k / W_1) of the table, for each k from 1.
    expected, spread
        The mean of the same in the references, and its standard deviation.
    n_references
        How many references were drawn.
    """

    p_value: float
    log_within: Floats
    expected: Floats
    spread: Floats
    n_references: int


def cluster_rows(
    rows: Floats, k: int, seed: int, *, n_starts: int, weights: Floats | None = None
) -> Clustered:
    """Return rows in k clusters."""
    sizes = (k, n_starts, _ITERATIONS, 0.0)
    found = _core.fit_kmeans(rows, weights, sizes, True, seed, 1)
    return Clustered(found[0].reshape(k, -1), found[1].astype(np.intp), float(found[2]))


def group_test(
    rows: Floats,
    column_of_term: Places,
    log_within: Callable[[Floats], Floats],
    *,
    n_references: int,
    seed: int,
    n_threads: int = 1,
    say: Callable[[str], None] = lambda _: None,
) -> GroupTest:
    """Test whether rows are tighter in clusters than one group is.

    Tables are drawn one after the other, and measured by several threads.
    """
    say("Counting groups: learning the shapes of the columns …")
    made, factor = fit_references(rows, column_of_term), factor_of(rows)
    generator = np.random.default_rng([seed, 1])

    def of_one_peak() -> Floats:
        return made.draw(generator)

    def of_normal() -> Floats:
        return np.where(made.missing, np.nan, rotated(factor, len(rows), generator))

    radii = row_radii(rows)

    def of_far_rows() -> Floats:
        drawn = rotated(factor, len(rows), generator, radii)
        return np.where(made.missing, np.nan, drawn)

    own = log_within(rows)
    kinds = [of_one_peak, of_normal] + ([of_far_rows] if len(radii) else [])
    found: dict[Callable[[], Floats], list[Floats]] = {draw: [own] for draw in kinds}
    for n_wanted in (_FIRST, n_references):
        for draw, tables in found.items():
            while len(tables) <= n_wanted:
                n_more = min(_AT_ONCE, n_wanted + 1 - len(tables))
                n_done = sum(len(one) - 1 for one in found.values())
                say(
                    f"Counting groups: {n_done} of at most {n_references * len(kinds)} similar "
                    "tables of one group compared …"
                )
                drawn = [np.ascontiguousarray(draw()) for _ in range(n_more)]
                tables.extend(map_in_threads(log_within, drawn, n_threads))
        p_value = max(_p_value(np.array(tables)) for tables in found.values())
        if p_value > 1 / (_FIRST + 1):
            break
    others = np.array(found[of_one_peak][1:])
    return GroupTest(p_value, own, others.mean(axis=0), others.std(axis=0, ddof=1), len(others))


def _p_value(every: Floats) -> float:
    """Return how often a table is at least as tight as the first one."""
    spread = every.std(axis=0)
    varies = spread > _NOTHING
    if not varies.any():
        return 1.0
    fall = ((every.mean(axis=0) - every)[:, varies] / spread[varies]).max(axis=1)
    return float((fall >= fall[0] - _NOTHING).sum() / len(fall))
