"""Simplified rules: fewer conditions and fewer rules, no less accurate on the rows they are given.

The idea is that of C4.5's rules (Quinlan, 1993, chapter 5):

1. Each rule loses conditions, the most useless first, while its pessimistic error (``_rule_rows``)
   does not rise. Rules that become the same, and rules without conditions, go.
2. Rules are put in order, the less error the earlier. Classes: rules of a class stand together, and
   the class whose rules err least on the rows that are left comes first. The default is what suits
   best the rows that no rule covers; when there are none, what suits all rows or what the last rule
   says, whichever gives the shorter list.
3. Rules are removed, the most useless first, while the list as a whole does not err more. Numbers:
   while its squared error stays below that of the tree's rules · (1 + ``tolerance``).
4. If the list errs more than that, as many of the tree's rules as needed come back, in front.

What a simplified rule reports (support, confidence, mean, deviation) is about the rows that
it decides in its list.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline.table import Table
from branchline.tree.reading._decision_list import DecisionList, Draft, slightly_above
from branchline.tree.reading._rule_list import Rule, RuleList
from branchline.tree.reading._rule_rows import ClassRows, NumberRows, Rows

__all__ = ["simplify_rules"]

Floats = npt.NDArray[np.float64]


def simplify_rules(
    rules: RuleList,
    table: Table,
    target: npt.NDArray[Any],
    weights: Floats | None = None,
    *,
    costs: Floats | None = None,
    confidence: float = 0.25,
    tolerance: float = 0.01,
) -> RuleList:
    """Return fewer and shorter rules that are as accurate on the given rows.

    Parameters
    ----------
    rules
        The rules of a tree.
    table
        Rows in the schema of the rules: best those that the tree was grown on.
    target
        The place of each row's class among the rules' classes; or numbers, one or several a row.
    weights
        What each row weighs; None: 1.
    costs
        Classes: what a decision (columns) costs for a truth (rows); None: every error costs 1.
    confidence
        The level of the upper limit of error; a smaller one drops more.
    tolerance
        Numbers: by how much the squared error may grow, as a fraction.
    """
    weight = np.ones(table.n_rows) if weights is None else weights
    if rules.classes is None:
        truth = np.asarray(target, dtype=np.float64).reshape(table.n_rows, -1)
        rows: Rows = NumberRows(table, truth, weight)
    else:
        places = np.asarray(target).astype(np.int64)
        one_hot = np.eye(len(rules.classes))
        rows = ClassRows(table, places, weight, 1.0 - one_hot if costs is None else costs)
        truth, tolerance = one_hot[places], 0.0
    made = _simplified(rules, _Reference.of(rules, table, rows), rows, confidence, tolerance)
    return rules if made is None else _finished(rules, made, weight, truth)


@dataclass(frozen=True)
class _Reference:
    """The tree's rules, which of them decides each row, and what that costs."""

    drafts: list[Draft]
    may_return: npt.NDArray[np.bool_]
    rule_of_row: npt.NDArray[np.int64]
    loss_of_row: Floats

    @classmethod
    def of(cls, rules: RuleList, table: Table, rows: Rows) -> "_Reference":
        everything = [_draft(rules, rule, rows) for rule in (*rules, rules.default)]
        rule_of_row = rules.find_in(table)
        loss = np.empty(table.n_rows)
        for place in np.unique(rule_of_row).tolist():
            decided = rule_of_row == place
            loss[decided] = rows.loss(everything[place].outcome)[decided]
        # Rules of leaves exclude one another, so they may stand anywhere; the others may not.
        may_return = np.array([not rule.otherwise for rule in rules], dtype=bool)
        return cls(everything[:-1], may_return, rule_of_row, loss)


def _draft(rules: RuleList, rule: Rule, rows: Rows) -> Draft:
    parts = tuple(part for condition in rule.conditions for part in condition.parts())
    if isinstance(rows, NumberRows):
        return Draft(parts, rows.scaled(np.array(rule.value)), rule.node)
    return Draft(parts, rules.place_of_class[rule.outcome], rule.node)


def _simplified(
    rules: RuleList, reference: _Reference, rows: Rows, confidence: float, tolerance: float
) -> DecisionList | None:
    """Return the simplified list, or None when only the rules as they are keep the accuracy."""
    judged = [_shortest(draft, rows, confidence) for draft in reference.drafts]
    drafts = _in_order(judged, rows, by_class=rules.classes is not None)
    allowed = slightly_above(float(reference.loss_of_row.sum()) * (1 + tolerance))
    found = []
    for made in _with_defaults(drafts, rows):
        made.eliminate(allowed if tolerance else 0.0)
        good = made if made.loss <= allowed else _with_restored(made, reference, rows, allowed)
        good.eliminate(allowed if tolerance else 0.0)
        if good.loss <= allowed:
            found.append(good)
    return min(found, key=lambda each: each.size, default=None)


def _with_defaults(drafts: list[Draft], rows: Rows) -> list[DecisionList]:
    usual = DecisionList(drafts, rows)
    if not drafts or usual.is_left.any():
        return [usual]
    return [usual, DecisionList(drafts, rows, drafts[-1].outcome)]


def _shortest(draft: Draft, rows: Rows, confidence: float) -> tuple[float, Draft]:
    """Drop conditions while the pessimistic error does not rise; return that error too."""
    of_row = rows.parts(draft.outcome)
    fails = np.array([~rows.holds(part) for part in draft.parts]).reshape(-1, len(of_row))
    while True:
        n_failed = fails.sum(axis=0)
        sums, once = of_row[n_failed == 0].sum(axis=0), n_failed == 1
        limit = float(rows.limit(sums, confidence))
        then = sums + fails[:, once] @ of_row[once]
        limits = rows.limit(then, confidence)
        if len(fails) == 0 or limits.min() > slightly_above(limit):
            return limit, replace(draft, outcome=rows.outcome(sums, draft.outcome))
        place = int(np.lexsort((-then[:, 0], limits))[0])  # of equal ones that of most rows
        draft, fails = draft.without(place), np.delete(fails, place, axis=0)


def _in_order(judged: Sequence[tuple[float, Draft]], rows: Rows, *, by_class: bool) -> list[Draft]:
    """Put rules in order, without doubles and without those that always hold."""
    ranked = sorted(judged, key=lambda pair: pair[0])
    distinct = {_key(draft): draft for _, draft in ranked if draft.parts}
    drafts = list(distinct.values())
    return _by_class(drafts, rows) if by_class else drafts


def _key(draft: Draft) -> tuple[Any, ...]:
    outcome = draft.outcome
    words = tuple(outcome.tolist()) if isinstance(outcome, np.ndarray) else outcome
    return frozenset(draft.conditions()), words


def _by_class(drafts: Sequence[Draft], rows: Rows) -> list[Draft]:
    """Put the class first whose rules err least on the rows that are left, and so on."""
    waiting: dict[int, list[Draft]] = {}
    covered: dict[int, npt.NDArray[np.bool_]] = {}
    for draft in drafts:
        waiting.setdefault(draft.outcome, []).append(draft)
        held = np.logical_and.reduce([rows.holds(part) for part in draft.parts])
        covered[draft.outcome] = held | covered.get(draft.outcome, False)
    left = np.ones(len(rows.weight), dtype=bool)
    ordered: list[Draft] = []
    while waiting:
        errors = {each: float(rows.loss(each)[left & covered[each]].sum()) for each in waiting}
        first = min(waiting, key=lambda each: (errors[each], each))
        ordered.extend(waiting.pop(first))
        left &= ~covered[first]
    return ordered


def _with_restored(
    made: DecisionList, reference: _Reference, rows: Rows, allowed: float
) -> DecisionList:
    """Put rules of the tree in front, the most useful first, until the list is good enough."""
    # Each mends the rows of its own leaf, whichever others come back.
    mended = made.loss_of_row - reference.loss_of_row
    gain = np.bincount(reference.rule_of_row, mended, len(reference.drafts) + 1)[:-1]
    gain = np.where(reference.may_return, gain, -np.inf)
    order = np.argsort(-gain, kind="stable")
    n_needed = 1 + int(np.searchsorted(np.cumsum(gain[order]), made.loss - allowed))
    restored = [reference.drafts[place] for place in order[:n_needed].tolist()]
    return DecisionList([*restored, *made.drafts], rows, made.default)


def _finished(rules: RuleList, made: DecisionList, weight: Floats, truth: Floats) -> RuleList:
    """Return the list, each rule with what is known from the rows that it decides."""
    shown = []
    for place, draft in enumerate(made.drafts):
        decided = made.rule_of_row == place
        if weight[decided].sum() > 0:
            shown.append(_rule(rules, draft, weight, truth, decided))
    left = made.rule_of_row == len(made.drafts)
    known = left if weight[left].sum() > 0 else np.ones_like(left)
    default = _rule(rules, Draft((), made.default, 0), weight, truth, known, bool(shown))
    ordered = len(shown) > 1
    simple = RuleList(tuple(shown), default, rules.schema, rules.classes, is_ordered=ordered)
    return replace(simple, derived=rules.derived)


def _rule(
    rules: RuleList,
    draft: Draft,
    weight: Floats,
    truth: Floats,
    rows: npt.NDArray[np.bool_],
    otherwise: bool = False,
) -> Rule:
    value = np.average(truth[rows], axis=0, weights=weight[rows])
    return Rule.of(
        draft.conditions(),
        value=value,
        variance=np.average((truth[rows] - value) ** 2, axis=0, weights=weight[rows]),
        support=float(weight[rows].sum()),
        decided=None if rules.classes is None else draft.outcome,
        classes=rules.classes,
        node=draft.node,
        otherwise=otherwise,
    )
