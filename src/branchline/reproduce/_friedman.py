"""Friedman's problem: bias and variance of many learners, beside published figures.

1. Ten uniform inputs, y = 10 sin(π x₁x₂) + 20 (x₃ − ½)² + 10 x₄ + 6 x₅ + N(0, 1).
2. Fifty learning sets of 500 rows; each learner is fitted on each and asked for 2 000 new cases.
3. Error = (bias² + noise) + variance (``assess.theory``), beside the published three.
4. They agree when each is within 20 % of the published one or within 0.5, and when learners whose
   published errors differ by more than that are in the published order.
"""

import warnings
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from itertools import combinations
from typing import Any

from branchline._validation import AnyOf, Flag, OneOf, Whole, check_parameters
from branchline.assess.theory import bias_variance_by_simulation, friedman_function
from branchline.errors import BranchlineWarning, ParameterError, Repair
from branchline.reproduce._friedman_learners import PUBLISHED, Published
from branchline.reproduce._reproduction import Figure, Line, Reproduction

__all__ = ["friedman"]

_PARTS = ("error", "bias²+noise", "variance")
_QUICK_SETS, _USUAL_SETS = 10, 50
_SHARE, _AMOUNT = 0.2, 0.5


def friedman(
    learners: Sequence[str] | None = None,
    *,
    n_sets: int | None = None,
    quick: bool = False,
    random_state: Any = 0,
    tell: Callable[[str], None] | None = None,
) -> Reproduction:
    """Take the errors of learners on Friedman's problem apart, beside the published figures.

    Parameters
    ----------
    learners
        Names of lines, such as "linear" or "full tree"; None (default): all (with ``quick``, all
        that are fitted in a moment).
    n_sets
        The number of learning sets; None (default): 50, as published, or 10 with ``quick``.
    quick
        Fewer learning sets, and without the networks, which take minutes. Default False.
    random_state
        The seed of all draws. Default 0.
    tell
        Called with a sentence whenever a learner is done. Default None: nothing is called.

    See Also
    --------
    Reproduction : a published table beside ours.

    Examples
    --------
    >>> from branchline.reproduce import friedman
    >>> print(friedman(["linear"], n_sets=4).lines[0].name)
    linear
    """
    given = {"n_sets": n_sets, "quick": quick}
    rules: dict[str, Any] = {"n_sets": AnyOf((OneOf((None,)), Whole(2))), "quick": Flag()}
    check_parameters("friedman", given, rules)
    count = n_sets or (_QUICK_SETS if quick else _USUAL_SETS)
    lines = []
    for published in _chosen(learners, quick):
        lines.append(_line(published, count, random_state))
        if tell is not None:
            tell(f"{published.name}: {lines[-1].figures[0].ours:.1f}")
    order = _order(lines)
    return Reproduction(
        f"Friedman's problem: {count} learning sets of 500 rows, 2,000 new cases",
        tuple(lines) if order.agrees else (*lines, Line("order of methods", (order,))),
        "within 20 % or 0.5",
        _notes(lines, order),
        is_wide=True,
    )


def _notes(lines: Sequence[Line], order: Figure) -> tuple[str, ...]:
    differing = {line.name for line in lines if not line.agrees}
    left_out = [row.name for row in PUBLISHED if row.name not in {line.name for line in lines}]
    return (
        f"Order of methods: {order.shown('ours')}.",
        *([f"Left out: {', '.join(left_out)}."] if left_out else []),
        *(f"{row.name}: {row.remark}" for row in PUBLISHED if row.remark and row.name in differing),
        "Networks and the pruned tree: settings were chosen to come near the printed figures.",
    )


def _chosen(learners: Sequence[str] | None, quick: bool) -> list[Published]:
    by_name = {row.name: row for row in PUBLISHED}
    if learners is None:
        return [row for row in PUBLISHED if not (quick and row.is_slow)]
    names = [learners] if isinstance(learners, str) else list(learners)
    for name in names or [""]:
        if name not in by_name:
            near = get_close_matches(str(name), by_name, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise ParameterError(
                f"No published line is called {name!r}.{hint} Lines: {', '.join(by_name)}.",
                code="P123",
                values=[name],
                repair=Repair(f"friedman([{(near or ['linear'])[0]!r}])"),
            )
    return [by_name[name] for name in names]


def _line(published: Published, n_sets: int, random_state: Any) -> Line:
    with warnings.catch_warnings():
        # Published networks were trained for a number of rounds, not until they settled.
        warnings.simplefilter("ignore", BranchlineWarning)
        parts = bias_variance_by_simulation(
            published.make(), friedman_function(), n_sets=n_sets, random_state=random_state
        )
    ours = (parts.error, parts.bias2_and_noise, parts.variance)
    figures = []
    for name, printed, value in zip(_PARTS, published.printed, ours, strict=True):
        reason = published.reasons.get((name, "above" if value > printed else "below"), "")
        agrees = _is_near(value, printed)
        figures.append(Figure(name, printed, value, agrees, digits=1, why="" if agrees else reason))
    return Line(published.name, tuple(figures))


def _is_near(ours: float, printed: float) -> bool:
    return abs(ours - printed) <= max(_SHARE * printed, _AMOUNT)


def _order(lines: Sequence[Line]) -> Figure:
    """Return how many pairs with clearly different published errors are in the published order."""
    n_right, swapped = 0, []
    for one, other in combinations(lines, 2):
        worse, better = one.figures[0], other.figures[0]
        if float(worse.printed) < float(better.printed):
            worse, better = better, worse
        if _is_near(float(better.printed), float(worse.printed)):
            continue
        if float(worse.ours) > float(better.ours):
            n_right += 1
        else:
            swapped.append(f"{one.name} and {other.name}")
    total = n_right + len(swapped)
    text = f"{n_right} of {total} clear pairs as published"
    if swapped:
        text += f"; not so: {', '.join(swapped)}"
    return Figure("pairs", "as published", text, not swapped)
