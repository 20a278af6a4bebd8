"""``association_rules``: what is bought together, and which of it is more than chance.

1. Frequent item sets are found (``_item_sets``).
2. Each set of two or more items gives a rule for each item as the conclusion: conditions → item.
3. Rules with enough confidence are tested (``_rule_tests``): each condition must make the
   conclusion more frequent, beyond what so large a search finds by chance.
4. The rules that remain are sorted by confidence.
"""

import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import numpy as np

from branchline._arrays import Bools, Floats
from branchline._drawable import Drawable
from branchline._false_discovery import false_discovery
from branchline._plain_numbers import count, fine_percent, joined, number
from branchline._result_frame import Library, result_frame
from branchline._validation import AnyOf, OneOf, Real, Whole, check_parameters
from branchline.density._baskets import Baskets, as_baskets
from branchline.density._item_sets import MAX_SETS, find_sets
from branchline.density._rule import AssociationRule
from branchline.density._rule_tests import Candidates, n_possible_rules, q_values_of
from branchline.errors import ParameterError, Repair

if TYPE_CHECKING:
    from branchline.charts import Chart

__all__ = ["AssociationRules", "association_rules"]

_MOST_SHOWN = 20


@dataclass(frozen=True)
class AssociationRules(Drawable):
    """Rules "if a basket holds these items, it holds that one, too", the surest first.

    Parameters
    ----------
    rules
        The rules that remain.
    n_baskets
        The number of baskets.
    n_candidates
        How many rules reach the support and the confidence that were asked for.
    n_possible
        How many rules could be made of the frequent items: the search is corrected for all of them.
    level
        The largest q-value of a rule that remains; None: all candidates remain.
    noun
        What a basket is called: "basket", or "row" of a table.
    is_recount
        Whether the rules were found on other baskets, and only counted on these.

    See Also
    --------
    association_rules : find rules "if a basket holds these items, it holds that one, too".

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.density import association_rules
    >>> table = load_dataset("titanic").select(["pclass", "sex", "survived"])
    >>> len(association_rules(table, target="survived").rules) > 5
    True
    """

    rules: tuple[AssociationRule, ...]
    n_baskets: int
    n_candidates: int
    n_possible: float
    level: float | None
    noun: str = "basket"
    is_recount: bool = False

    def __len__(self) -> int:
        return len(self.rules)

    def __iter__(self) -> Iterator[AssociationRule]:
        return iter(self.rules)

    def __getitem__(self, place: int) -> AssociationRule:
        return self.rules[place]

    def on(self, data: Any) -> "AssociationRules":
        """Return the same rules counted on other baskets.

        Items are known by name. Nothing was searched there, so only these rules are corrected for.
        Rules whose conditions no basket holds are left out.
        """
        baskets = as_baskets(data)
        counted = [rule.on(baskets) for rule in self.rules]
        known = [rule for rule in counted if rule is not None]
        q_values = false_discovery(np.array([rule.p_value for rule in known], dtype=np.float64))
        rules = (replace(rule, q_value=float(q)) for rule, q in zip(known, q_values, strict=True))
        counts = (baskets.total, len(known), float(len(known)))
        return AssociationRules(_sorted(rules), *counts, self.level, baskets.noun, True)

    def suggest(self, basket: Iterable[Any], n_items: int = 5) -> list[AssociationRule]:
        """Return the surest rule for each item that a basket lacks, at most ``n_items``."""
        held = {str(item).strip() for item in basket}
        found: dict[str, AssociationRule] = {}
        for rule in self.rules:
            if rule.conclusion not in held and held.issuperset(rule.conditions):
                found.setdefault(rule.conclusion, rule)
        return list(found.values())[:n_items]

    def to_frame(self, library: Library = "pandas") -> Any:
        """Return one row for each rule, as a frame of pandas or polars."""
        rows = [rule.to_dict() for rule in self.rules]
        names = AssociationRule.columns()
        columns: dict[str, Any] = {name: [row[name] for row in rows] for name in names}
        columns["conditions"] = [", ".join(names) for names in columns["conditions"]]
        return result_frame(columns, library)

    def to_dict(self) -> dict[str, Any]:
        """Return the rules as plain values."""
        return {
            "n_baskets": self.n_baskets,
            "n_candidates": self.n_candidates,
            "n_possible": self.n_possible,
            "level": self.level,
            "rules": [rule.to_dict() for rule in self.rules],
        }

    def __str__(self) -> str:
        lines = [self.summary()]
        if self.rules:
            lines.append(f"  confidence            lift  {self.noun + 's':>7}  rule")
        for rule in self.rules[:_MOST_SHOWN]:
            share, lift = str(rule.confidence), number(rule.lift.estimate, 3)
            lines.append(f"  {share:<20} {lift:>5}  {rule.count:>7,}  {rule.text}")
        if len(self) > _MOST_SHOWN:
            lines.append(f"  … and {len(self) - _MOST_SHOWN:,} more")
        return "\n".join(lines)

    def summary(self) -> str:
        """Return in a sentence how many rules there are, and how many remain."""
        found = f"{count(self.n_candidates, 'rule')} in {count(self.n_baskets, self.noun)}"
        if not self.n_candidates:
            return f"No rule in {count(self.n_baskets, self.noun)} reaches support and confidence."
        if self.is_recount:
            level = 0.05 if self.level is None else self.level
            n_held = sum(rule.q_value <= level for rule in self.rules)
            return f"{found}, where they were not searched. Confirmed: {n_held:,} (q ≤ {level:g})."
        if self.level is None:
            return f"{found}. None was left out: some are chance, or add nothing to shorter rules."
        n_left = self.n_candidates - len(self)
        if not n_left:
            return f"{found}. All are beyond chance (q ≤ {self.level:g}), and every condition adds."
        why = "chance, or a condition that adds nothing to a shorter rule"
        return f"{found}. Kept: {len(self):,} (q ≤ {self.level:g}). Left out: {n_left:,} ({why})."

    def _chart(self) -> "Chart":
        from branchline.charts import Bar, bar_rows

        bars = [
            Bar(rule.text, rule.confidence.estimate, fine_percent(rule.confidence.estimate),
                rule.confidence.low, rule.confidence.high)
            for rule in self.rules[:_MOST_SHOWN]
        ]  # fmt: skip
        n_hidden = max(0, len(self) - _MOST_SHOWN)
        note = f"{count(n_hidden, 'more rule', 'more rules')} not shown." if n_hidden else ""
        return bar_rows(bars, "confidence", "Association rules", note=note)


def association_rules(
    data: Any,
    *,
    min_support: float = 0.01,
    min_confidence: float = 0.5,
    target: str | None = None,
    max_items: int = 4,
    level: float | None = 0.05,
    sample_weight: Any = None,
    n_jobs: int | None = None,
) -> AssociationRules:
    """Find rules "if a basket holds these items, it holds that one, too".

    A search finds thousands of rules in pure chance. So each rule is tested, and the tests are
    corrected for every rule that could have been found; and each condition of a rule must add
    something to the rule without it. What remains is short.

    A rule is an association, not a cause.

    Parameters
    ----------
    data
        Baskets, or a table whose cells are items ("sex = female"): see ``as_baskets``.
    min_support
        The least share of baskets that hold conditions and conclusion, or (a whole number) the
        least number of them. Default 0.01.
    min_confidence
        The least share of baskets with the conditions that hold the conclusion, too. Default 0.5.
    target
        The item to conclude, or the column of a table. Default: any.
    max_items
        The largest number of items of a rule, with the conclusion. Default 4.
    level
        The largest q-value of a rule: the expected share of false rules among those that remain.
        None: rules are not left out, whatever the tests say. Default 0.05.
    sample_weight
        How many baskets each one stands for: whole numbers. Default None: one each.
    n_jobs
        Threads; None (default) for all cores. The result does not depend on it.

    See Also
    --------
    AssociationRules

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.density import association_rules
    >>> table = load_dataset("titanic").select(["pclass", "sex", "survived"])
    >>> found = association_rules(table, target="survived")
    >>> print(found[0].text, found[0].confidence)
    sex = female, pclass = 1st → survived = yes 0.965 [0.921, 0.985]
    """
    check_parameters(
        "association_rules",
        {"min_confidence": min_confidence, "level": level, "max_items": max_items},
        {
            "min_confidence": Real(0, 1),
            "level": AnyOf((OneOf((None,)), Real(0, 1, low_open=True))),
            "max_items": Whole(2, 1000),
        },
    )
    baskets = as_baskets(data, sample_weight=sample_weight)
    conclusions = _conclusions(baskets, target)
    found = find_sets(baskets, min_support, max_items, MAX_SETS, n_jobs, owner="association_rules")
    every = Candidates.of(found, conclusions)
    sure = every.take(every.confidence >= min_confidence)
    n_possible = n_possible_rules(found, conclusions, max_items)
    p_values = sure.p_values()
    q_values = q_values_of(sure, p_values, n_possible)
    kept = np.ones(len(sure), dtype=bool) if level is None else q_values <= level
    rules = _rules(sure, kept, p_values, q_values)
    counts = (baskets.total, len(sure), float(n_possible.sum()))
    return AssociationRules(_sorted(rules), *counts, level, baskets.noun)


def _conclusions(baskets: Baskets, target: str | None) -> Bools:
    """Return which items a rule may conclude."""
    if target is None:
        return np.ones(len(baskets.items), dtype=bool)
    columns = baskets.columns or baskets.items
    pairs = zip(baskets.items, columns, strict=True)
    wanted: Bools = np.array([target in pair for pair in pairs], dtype=bool)
    if wanted.any():
        return wanted
    known = list(dict.fromkeys((*baskets.columns, *baskets.items[::-1])))
    near = get_close_matches(target, known, n=1) or known[:1]
    raise ParameterError(
        f"There is no item or column {target!r}. There are {joined(known)}.",
        code="P652",
        values=[target],
        repair=Repair(
            f"association_rules(data, target={near[0]!r})", f"--target {shlex.quote(near[0])}"
        )
        if near
        else None,
    )


def _rules(
    sure: Candidates, kept: Bools, p_values: Floats, q_values: Floats
) -> Iterator[AssociationRule]:
    """Return the rules that remain, with all their figures."""
    found, total = sure.found, sure.found.baskets.total
    for place in np.flatnonzero(kept):
        n_both, n_conditions = int(sure.n_both[place]), int(sure.n_conditions[place])
        n_conclusion = int(sure.n_conclusion[place])
        yield AssociationRule.counted(
            found.names(int(sure.conditions[place])),
            found.baskets.items[int(sure.conclusion[place])],
            (n_both, n_conditions, n_conclusion, total),
            p_value=float(p_values[place]),
            q_value=float(q_values[place]),
        )


def _sorted(rules: Iterable[AssociationRule]) -> tuple[AssociationRule, ...]:
    def key(rule: AssociationRule) -> Any:
        return -rule.confidence.estimate, -rule.count, len(rule.conditions), rule.text

    return tuple(sorted(rules, key=key))
