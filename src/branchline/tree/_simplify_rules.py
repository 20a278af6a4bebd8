"""Simplified rules: fewer conditions and fewer rules, no less accurate on the rows they are given.

Classes (the idea of C4.5's rules; Quinlan, 1993, chapter 5):

1. Each rule loses conditions, the most useless first, while the upper limit of its error rate (that
   of a binomial proportion, one-sided, at level ``confidence``) does not rise.
2. Rules of a class stand together; the class whose rules err least on the rows that are left comes
   first. The default is the class that suits best the rows that no rule covers.
3. Rules are removed, the most useless first, while the list as a whole does not err more.
4. If the list errs more than the rules it was made from, as many of these as needed come back, in
   front; they lose what conditions they can lose for nothing.

Numbers: the rule of most rows becomes the default, the others come before it, smallest first. Rules
and conditions are removed while the squared error grows by no more than ``tolerance``, as a
fraction; each rule then predicts the mean of the rows that it decides.

What a simplified rule says of itself (support, confidence, deviation) is about the rows it decides.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import betaincinv

from branchline.table import Table
from branchline.tree._decision_list import ClassRows, DecisionList, Draft, NumberRows
from branchline.tree._rule_list import Rule, RuleList

__all__ = ["simplify_rules"]

Floats = npt.NDArray[np.float64]

_ROUNDING = 1e-9  # by how much, relatively, sums may differ and be equal


def simplify_rules(
    rules: RuleList,
    table: Table,
    target: npt.NDArray[Any],
    weights: npt.NDArray[np.float64] | None = None,
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
        Classes: the level of the upper limit of error; smaller drops more.
    tolerance
        Numbers: by how much the squared error may grow, as a fraction.
    """
    weight = np.ones(table.n_rows) if weights is None else weights
    if rules.classes is None:
        numbers = np.asarray(target, dtype=np.float64).reshape(table.n_rows, -1)
        rows = NumberRows(table, numbers, weight)
        made = _simplify_numbers(rules, rows, tolerance)
        return _finished(rules, made, weight, numbers)
    n_classes = len(rules.classes)
    truth = np.asarray(target).astype(np.int64)
    costs = 1.0 - np.eye(n_classes) if costs is None or not costs.any() else costs
    class_rows = ClassRows(table, truth, weight, costs)
    made = _simplify_classes(rules, table, class_rows, confidence)
    return rules if made is None else _finished(rules, made, weight, np.eye(n_classes)[truth])


# -- classes ------------------------------------------------------------------------------------


def _simplify_classes(
    rules: RuleList, table: Table, rows: ClassRows, confidence: float
) -> DecisionList | None:
    """Return the simplified list, or None when only the rules as they are keep the accuracy."""
    originals = _drafts(rules)
    short = [_shortest(draft, rows, confidence) for draft in originals]
    distinct = {(frozenset(draft.conditions()), draft.outcome): draft for draft in short}
    made = _in_order([draft for draft in distinct.values() if draft.parts], rows)
    made.eliminate(_slightly_above(made.loss))
    # What the rules as they are cost each row, and which of them decides it.
    place = rules.find_in(table)
    outcomes = np.array([*(draft.outcome for draft in originals), _class_of(rules, rules.default)])
    reference = rows.loss_of_class[outcomes[place], np.arange(table.n_rows)]
    allowed = _slightly_above(float(reference.sum()))
    if made.loss > allowed:
        gain = np.bincount(place, made.loss_of_row - reference, len(outcomes))[:-1]
        made = _with_restored(made, rules, originals, gain, rows, allowed)
    return made if made.loss <= allowed else None


def _shortest(draft: Draft, rows: ClassRows, confidence: float) -> Draft:
    """Drop conditions while the upper limit of the rule's error rate does not rise."""
    loss = rows.loss(draft.outcome)
    fails = np.array([~rows.holds(part) for part in draft.parts])
    while draft.parts:
        n_failed = fails.sum(axis=0)
        inside, once = n_failed == 0, n_failed == 1
        weight_now, loss_now = rows.weight[inside].sum(), loss[inside].sum()
        weight_then = weight_now + fails[:, once] @ rows.weight[once]
        loss_then = loss_now + fails[:, once] @ loss[once]
        limit = _upper_limit(loss_then, weight_then, confidence)
        place = int(np.lexsort((-weight_then, limit))[0])
        if limit[place] > _slightly_above(float(_upper_limit(loss_now, weight_now, confidence))):
            break
        draft, fails = draft.without(place), np.delete(fails, place, axis=0)
    return draft


def _upper_limit(errors: Any, weight: Any, confidence: float) -> Any:
    """Return the error rate at which so few errors have only the probability ``confidence``."""
    with np.errstate(invalid="ignore"):
        limit = betaincinv(errors + 1, np.maximum(weight - errors, 0), 1 - confidence)
    return np.where(errors >= weight, 1.0, limit)


def _in_order(drafts: Sequence[Draft], rows: ClassRows) -> DecisionList:
    """Put classes in order, those first whose rules err least on the rows that are left."""
    waiting: dict[int, list[Draft]] = {}
    for draft in drafts:
        waiting.setdefault(draft.outcome, []).append(draft)
    covered = {outcome: _covered_by_any(group, rows) for outcome, group in waiting.items()}
    left = np.ones(len(rows.weight), dtype=bool)
    ordered: list[Draft] = []
    while waiting:
        errors = {outcome: rows.loss(outcome)[left & covered[outcome]].sum() for outcome in waiting}
        first = min(waiting, key=lambda outcome: (errors[outcome], outcome))
        ordered.extend(waiting.pop(first))
        left &= ~covered[first]
    loss = rows.loss_of_class
    default = int(np.lexsort((loss.sum(axis=1), loss[:, left].sum(axis=1)))[0])
    return DecisionList(ordered, default, rows)


def _covered_by_any(drafts: Sequence[Draft], rows: ClassRows) -> npt.NDArray[np.bool_]:
    covered = np.zeros(len(rows.weight), dtype=bool)
    for draft in drafts:
        covered |= np.logical_and.reduce([rows.holds(part) for part in draft.parts])
    return covered


def _with_restored(
    made: DecisionList,
    rules: RuleList,
    originals: Sequence[Draft],
    gain: Floats,
    rows: ClassRows,
    allowed: float,
) -> DecisionList:
    """Put original rules in front, those that mend most first, until the list is good enough."""
    # Rules of leaves exclude one another, so each mends its own rows whatever else is restored.
    places = [place for place in np.argsort(-gain, kind="stable") if not rules[place].otherwise]
    n_needed = 1 + int(np.searchsorted(np.cumsum(gain[places]), made.loss - allowed))
    restored = [originals[place] for place in places[:n_needed]]
    longer = DecisionList([*restored, *made.drafts], made.default, rows)
    for place in range(len(restored)):
        longer.shorten(place, max(allowed, _slightly_above(longer.loss)))
    longer.eliminate(max(allowed, _slightly_above(longer.loss)))
    return longer


# -- numbers ------------------------------------------------------------------------------------


def _simplify_numbers(rules: RuleList, rows: NumberRows, tolerance: float) -> DecisionList:
    drafts = _drafts(rules)
    order = sorted(range(len(rules)), key=lambda place: (rules[place].support, place))
    *others, largest = [place for place in order if not rules[place].otherwise]
    stays = [place for place in range(len(rules)) if rules[place].otherwise]
    made = DecisionList(
        [drafts[place] for place in [*others, *stays]], drafts[largest].outcome, rows
    )
    made.eliminate(_slightly_above(made.loss))
    allowed = _slightly_above(made.loss) * (1 + tolerance)
    # First what costs nothing, from the last rule to the first: the last has fewest rows to fear.
    for limit in (_slightly_above(made.loss), allowed):
        for place in reversed(range(len(made.drafts))):
            made.shorten(place, limit)
        made.eliminate(limit)
    return made


# -- both ---------------------------------------------------------------------------------------


def _drafts(rules: RuleList) -> list[Draft]:
    return [
        Draft(
            tuple(part for condition in rule.conditions for part in condition.parts()),
            np.array(rule.value) if rules.classes is None else _class_of(rules, rule),
            rule.node,
        )
        for rule in rules
    ]


def _class_of(rules: RuleList, rule: Rule) -> int:
    return rules.place_of_class[rule.outcome]


def _slightly_above(loss: float) -> float:
    return loss * (1 + _ROUNDING) + 1e-300


def _finished(rules: RuleList, made: DecisionList, weight: Floats, truth: Floats) -> RuleList:
    """Return the list with what the rows say of each rule; rules that decide no row are left out."""
    shown = []
    whole = np.ones(len(weight), dtype=bool)
    for place, draft in enumerate(made.drafts):
        decided = made.rule_of_row == place
        if decided.any():
            shown.append(_rule(rules, draft, weight, truth, decided))
    left = made.rule_of_row == len(made.drafts)
    last = Draft((), made.default, 0)
    default = _rule(rules, last, weight, truth, left if left.any() else whole, bool(shown))
    return RuleList(tuple(shown), default, rules.schema, rules.classes, is_ordered=True)


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
