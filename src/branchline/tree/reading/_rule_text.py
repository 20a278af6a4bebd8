"""Rules as text: IF … AND … THEN outcome (rows, confidence), outcomes below one another.

1. What follows is as wide as the widest outcome; conditions get the rest of the line.
2. A rule that needs more goes on in a second line, between two conditions.
3. A condition with an "or" stands in brackets when there are others.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from branchline.tree.reading._rule_list import Rule, RuleList

__all__ = ["rule_to_text", "rules_to_text"]

_ORDER = "The first rule that holds decides."
_NARROWEST = 30


def rule_to_text(rule: "Rule") -> str:
    """Return one rule as one line."""
    return " ".join([*_conditions(rule), _end(rule, 0).strip()])


def rules_to_text(rules: "RuleList", width: int) -> str:
    """Return the rules as text that is, where possible, at most ``width`` characters wide."""
    shown = rules.shown()
    widest = max(len(rule.outcome_words) for rule in shown)
    ends = [_end(rule, widest) for rule in shown]
    room = max(_NARROWEST, width - 1 - max(map(len, ends)))
    starts = [_wrapped(_conditions(rule), room) for rule in shown]
    column = min(room, max(len(line) for lines in starts for line in lines))
    lines = [_ORDER, ""] if rules.is_ordered else []
    for start, end in zip(starts, ends, strict=True):
        lines.extend(start[:-1])
        if len(start[-1]) <= column:
            lines.append(f"{start[-1]:<{column}} {end}")
        else:
            lines.extend([start[-1], f"{'':<{column}} {end}"])
    return "\n".join(lines)


def _conditions(rule: "Rule") -> list[str]:
    """Return the parts between which a rule may be broken."""
    first = "OTHERWISE" if rule.otherwise else ""
    if not rule.conditions:
        return [first or "ALWAYS"]
    tests = [str(condition) for condition in rule.conditions]
    if len(tests) > 1:
        tests = [
            f"({test})" if condition.has_or else test
            for test, condition in zip(tests, rule.conditions, strict=True)
        ]
    return [f"{first} IF {tests[0]}".strip(), *(f"AND {test}" for test in tests[1:])]


def _wrapped(parts: list[str], room: int) -> list[str]:
    lines = parts[:1]
    for part in parts[1:]:
        if len(lines[-1]) + 1 + len(part) <= room:
            lines[-1] += f" {part}"
        else:
            lines.append(f"   {part}")
    return lines


def _end(rule: "Rule", width: int) -> str:
    then = "THEN " if rule.conditions else "     " if rule.otherwise else ""
    return f"{then}{rule.outcome_words:<{width}}  {rule.evidence_words}"
