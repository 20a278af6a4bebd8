"""How stable a selection is: the selector is fitted on many halves of the rows.

- Each column has the share of resamples in which it was chosen, with Wilson's interval.
- The whole selection has Nogueira's index (Nogueira, Sechidis and Brown 2018): with M resamples, d
  columns, p_f the share of column f and k̄ the mean number chosen,
  Φ = 1 − (1/d) Σ M/(M−1) p_f (1 − p_f) / ((k̄/d)(1 − k̄/d)).
  It is 1 when the same columns are always chosen and 0 on average when they are drawn at random.
  Its variance has a closed form (their theorem 7).
- Two columns *stand in for each other* when nearly always one of them is chosen and hardly ever
  both.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from branchline._arrays import Bools, Floats
from branchline._canonical_rows import canonical_rows
from branchline._drawable import Drawable
from branchline._folds import fold_rows, seed_of_repeat
from branchline._plain_numbers import percent
from branchline._result_frame import Library, result_frame
from branchline._validation import Constraint, Real, Whole, check_parameters, check_seed
from branchline.charts import Bar, Chart, bar_rows
from branchline.features._inner_folds import answers_of
from branchline.features._selector import Selector

__all__ = ["SelectionStability", "selection_stability", "stability_index", "stability_of_choices"]

_Z = 1.959963984540054
_MOST_SHOWN = 25
# Substitutes: one of the two is chosen at least this often, both at most so often.
_EITHER, _BOTH = 0.9, 0.2


@dataclass(frozen=True, eq=False)
class SelectionStability(Drawable):
    """How often each column was chosen over resamples.

    Parameters
    ----------
    names
        The columns, most often chosen first.
    shares
        The share of resamples in which each was chosen.
    lows, highs
        The ends of the 95 % interval of each share.
    index, index_low, index_high
        Nogueira's index with its 95 % interval: 1 is always the same, 0 is as by chance.
    substitutes
        Pairs of columns of which nearly always one is chosen, and hardly ever both.
    n_resamples
        The number of resamples.
    of_what
        What the resamples are.

    See Also
    --------
    selection_stability
    stability_of_choices

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.features import RankSelector, selection_stability
    >>> X, y = load_dataset("heart").split_target("disease")
    >>> found = selection_stability(RankSelector(n_columns=3), X, y, n_resamples=10)
    >>> float(found.shares.max())
    1.0
    """

    names: tuple[str, ...]
    shares: Floats
    lows: Floats
    highs: Floats
    index: float
    index_low: float
    index_high: float
    substitutes: tuple[tuple[str, str], ...]
    n_resamples: int
    of_what: str = "resamples of half of the rows"

    def _columns(self) -> dict[str, Any]:
        names = {"column": list(self.names), "share": self.shares}
        return {**names, "low": self.lows, "high": self.highs}

    def to_frame(self, library: Library = "pandas") -> Any:
        """Return one row for each column, as a frame of pandas or polars."""
        return result_frame(self._columns(), library)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {
            "columns": list(self.names),
            "shares": self.shares.tolist(),
            "lows": self.lows.tolist(),
            "highs": self.highs.tolist(),
            "index": [self.index, self.index_low, self.index_high],
            "substitutes": [list(pair) for pair in self.substitutes],
            "n_resamples": self.n_resamples,
        }

    def __str__(self) -> str:
        lines = [f"Chosen in {self.n_resamples} {self.of_what}:"]
        shown = [place for place in range(len(self.names)) if self.shares[place] > 0]
        width = max((len(self.names[place]) for place in shown[:_MOST_SHOWN]), default=0)
        for place in shown[:_MOST_SHOWN]:
            interval = f"[{percent(self.lows[place])}, {percent(self.highs[place])}]"
            share = percent(float(self.shares[place]))
            lines.append(f"  {self.names[place]:<{width}}  {share:>6}  {interval}")
        if len(shown) > _MOST_SHOWN:
            lines.append(f"  … and {len(shown) - _MOST_SHOWN} more")
        index = f"{self.index:.2f} [{self.index_low:.2f}, {self.index_high:.2f}]"
        lines.append(f"Stability of the whole selection (1: always the same, 0: chance): {index}")
        lines += [f"{one} and {other} stand in for each other." for one, other in self.substitutes]
        return "\n".join(lines)

    def _chart(self) -> Chart:
        """Return the shares as bars with intervals."""
        bars = [
            Bar(name, float(share), percent(float(share)), float(low), float(high))
            for name, share, low, high in zip(
                self.names[:_MOST_SHOWN], self.shares, self.lows, self.highs, strict=False
            )
        ]
        what = self.of_what.partition(" of ")[0]
        return bar_rows(bars, f"share of {what}", "How often each column is chosen")


def selection_stability(
    selector: Selector,
    X: Any,
    y: Any,
    *,
    n_resamples: int = 50,
    fraction: float = 0.5,
    sample_weight: Any = None,
    random_state: Any = 0,
) -> SelectionStability:
    """Fit a selector on many random parts of the rows, and count what it chooses.

    Parameters
    ----------
    selector
        An unfitted selector.
    X, y, sample_weight
        The rows, as for ``fit``. Default None: all weigh the same.
    n_resamples
        How often. Default 50.
    fraction
        The share of rows in each part. Default 0.5 (Meinshausen and Bühlmann 2010).
    random_state
        The seed of the parts. Default 0.

    See Also
    --------
    SelectionStability : how often each column was chosen over resamples.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.features import RankSelector, selection_stability
    >>> X, y = load_dataset("heart").split_target("disease")
    >>> found = selection_stability(RankSelector(n_columns=3), X, y, n_resamples=10)
    >>> round(found.index, 1)
    0.5
    """
    rules: dict[str, Constraint] = {"n_resamples": Whole(2), "fraction": Real(0.05, 0.95)}
    given = {"n_resamples": n_resamples, "fraction": fraction}
    check_parameters("selection_stability", given, rules)
    data = canonical_rows(selector._training_data(X, y, sample_weight), merge=True)
    rows, seed = fold_rows(data), check_seed(random_state)
    chosen = []
    for number in range(n_resamples):
        fold = rows.hold_out(1 - fraction, seed_of_repeat(seed, number))
        part = data if fold is None else fold.learning(data)
        weights = None if part.weights.units is None else part.weights.of_rows(part.table.n_rows)
        model = clone(selector).fit(part.table, answers_of(part), sample_weight=weights)
        chosen.append(model.support_)
    return stability_of_choices(np.array(chosen), data.table.names)


def stability_of_choices(
    chosen: Bools, names: tuple[str, ...], of_what: str = "resamples of half of the rows"
) -> SelectionStability:
    """Return how often columns were chosen, from masks (resamples × columns), two or more.

    See Also
    --------
    SelectionStability : how often each column was chosen over resamples.

    Examples
    --------
    >>> import numpy as np
    >>> from branchline.features import stability_of_choices
    >>> chosen = np.array([[1, 0], [1, 0], [1, 1]], dtype=bool)
    >>> stability_of_choices(chosen, ("age", "town")).shares.round(2).tolist()
    [1.0, 0.33]
    """
    shares = chosen.mean(axis=0)
    order = np.lexsort((np.array(names), -shares))
    lows, highs = _wilson(shares, len(chosen))
    index, error = stability_index(chosen)
    return SelectionStability(
        tuple(names[place] for place in order),
        shares[order],
        lows[order],
        highs[order],
        index,
        max(-1.0, index - _Z * error),
        min(1.0, index + _Z * error),
        _substitutes(chosen, shares, names),
        len(chosen),
        of_what,
    )


def stability_index(chosen: Bools) -> tuple[float, float]:
    """Return Nogueira's index of masks (resamples × columns) and its standard error.

    See Also
    --------
    stability_of_choices
    selection_stability

    Examples
    --------
    >>> import numpy as np
    >>> from branchline.features import stability_index
    >>> chosen = np.array([[1, 0, 1, 0], [1, 0, 1, 0], [1, 1, 0, 0]], dtype=bool)
    >>> round(stability_index(chosen)[0], 2)
    0.33
    """
    z = np.asarray(chosen, dtype=np.float64)
    n_sets, d = z.shape
    sizes, share = z.sum(axis=1), z.mean(axis=0)
    mean_size = sizes.mean()
    by_chance = mean_size / d * (1 - mean_size / d)
    if by_chance <= 0:
        return 1.0, 0.0  # all columns, or none, every time
    spread = (n_sets / (n_sets - 1) * share * (1 - share)).mean()
    index = 1 - spread / by_chance
    parts = (
        (z * share).mean(axis=1)
        - sizes * mean_size / d**2
        + index / 2 * (2 * mean_size * sizes / d**2 - sizes / d - mean_size / d + 1)
    ) / by_chance
    variance = 4 / n_sets**2 * ((parts - parts.mean()) ** 2).sum()
    return float(index), math.sqrt(float(variance))


def _wilson(share: Floats, n: int) -> tuple[Floats, Floats]:
    center = (share + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
    reach = _Z / (1 + _Z**2 / n) * np.sqrt(share * (1 - share) / n + _Z**2 / (4 * n**2))
    return np.maximum(center - reach, 0.0), np.minimum(center + reach, 1.0)


def _substitutes(
    chosen: Bools, shares: Floats, names: tuple[str, ...]
) -> tuple[tuple[str, str], ...]:
    unsure = [at for at in np.argsort(-shares, kind="stable")[:60] if 0.1 <= shares[at] <= 0.9]
    pairs = []
    for place, one in enumerate(unsure):
        for other in unsure[place + 1 :]:
            either = float((chosen[:, one] | chosen[:, other]).mean())
            both = float((chosen[:, one] & chosen[:, other]).mean())
            if either >= _EITHER and both <= _BOTH:
                pairs.append((names[one], names[other]))
    return tuple(pairs)
