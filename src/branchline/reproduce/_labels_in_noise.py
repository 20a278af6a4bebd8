"""Labels in noise: clusters of inputs that were chosen with labels return the labels.

1. 40 rows × 1 000 inputs of noise, and random labels in two classes of equal size.
2. The 20 inputs with the largest t between the classes are chosen on all rows. k-means with two
   clusters, which never sees the labels, is compared with them by the adjusted Rand index.
3. Honest: k-means on all inputs; and 40 new rows, with new labels, placed in the clusters.
4. The statement is "always returns the labels", without a number. It holds if the index is above
   0.5 on average, and if the honest ones are within 0.05 of 0.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from branchline._arrays import Floats
from branchline._validation import AnyOf, Flag, OneOf, Whole, check_parameters, check_seed
from branchline.cluster import KMeans, adjusted_rand
from branchline.reproduce._noise_tables import best_t, draw_noise
from branchline.reproduce._reproduction import Figure, Line, Reproduction

__all__ = ["labels_in_noise"]

_N_ROWS, _N_INPUTS, _N_CHOSEN = 40, 1000, 20
_USUAL_DRAWS, _QUICK_DRAWS = 100, 20
_RECOVERED, _NEAR = 0.5, 0.05


def labels_in_noise(
    n_draws: int | None = None,
    *,
    quick: bool = False,
    random_state: Any = 0,
    tell: Callable[[str], None] | None = None,
) -> Reproduction:
    """Show that clusters "find" random labels when inputs were chosen with these labels.

    Parameters
    ----------
    n_draws
        How many tables of noise are drawn; None (default): 100, or 20 with ``quick``.
    quick
        Fewer draws. Default False.
    random_state
        The seed of all draws. Default 0.
    tell
        Called with a sentence whenever a part is done. Default None: nothing is called.

    See Also
    --------
    Reproduction : a published table beside ours.

    Examples
    --------
    >>> from branchline.reproduce import labels_in_noise
    >>> found = labels_in_noise(10)
    >>> round(found.lines[0].figures[0].ours, 1)
    0.9
    """
    rules: dict[str, Any] = {"n_draws": AnyOf((OneOf((None,)), Whole(2))), "quick": Flag()}
    check_parameters("labels_in_noise", {"n_draws": n_draws, "quick": quick}, rules)
    count = n_draws or (_QUICK_DRAWS if quick else _USUAL_DRAWS)
    seed = check_seed(random_state)
    found = np.array([_draw(np.random.default_rng([seed, 5, draw])) for draw in range(count)])
    lines = (
        _line("20 of 1,000 inputs chosen by t with the labels", "near 1", found[:, 0]),
        _line("all 1,000 inputs", "near 0", found[:, 1]),
        _line("new rows in the clusters of the chosen inputs", "near 0", found[:, 2]),
    )
    if tell is not None:
        for line in lines:
            tell(f"{line.name}: {line.figures[0].shown('ours')}")
    return Reproduction(
        f"Random labels and clusters of noise, {count} draws of {_N_ROWS} rows: mean adjusted Rand "
        "index (least to most)",
        lines,
        "near 1: above 0.5 on average; near 0: within 0.05",
        ("Choose inputs for a clustering without labels.",),
    )


def _draw(rng: np.random.Generator) -> tuple[float, float, float]:
    """Return how far clusters agree with the labels: of chosen inputs, of all, of new rows."""
    X, y = draw_noise(_N_ROWS, _N_INPUTS, rng)
    chosen = best_t(X, y, _N_CHOSEN)
    model = KMeans(2, n_jobs=1).fit(X[:, chosen])
    whole = KMeans(2, n_jobs=1).fit(X)
    fresh, labels = draw_noise(_N_ROWS, _N_INPUTS, rng)
    placed = model.predict(fresh[:, chosen])
    pairs = ((model.labels_, y), (whole.labels_, y), (placed, labels))
    one, other, new = (adjusted_rand(found, wanted).value for found, wanted in pairs)
    return one, other, new


def _line(name: str, wanted: str, found: Floats) -> Line:
    mean = float(found.mean())
    agrees = mean > _RECOVERED if wanted == "near 1" else abs(mean) <= _NEAR
    figure = Figure("adjusted Rand", wanted, mean, agrees, 2, float(found.min()),
                    float(found.max()))  # fmt: skip
    return Line(name, (figure,))
