"""A comparison as plain data, ready for JSON."""

import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from branchline.assess.comparing._comparison import Comparison

__all__ = ["comparison_document"]


def comparison_document(comparison: "Comparison") -> dict[str, Any]:
    """Return what a program needs: the plan, the rows, the standings, the recommendation."""
    problem, advice = comparison.problem, comparison.recommendation
    classes = None if problem.classes is None else [str(name) for name in problem.classes]
    document: dict[str, Any] = _finite(
        {
            "plan": comparison.plan.to_dict(),
            "rows": {
                "count": problem.n_rows,
                "columns": problem.table.n_columns,
                "target": problem.target_name,
                "classes": classes,
                "fingerprint": problem.fingerprint,
            },
            "standings": [_standing(comparison, place) for place in comparison.standings],
            "failures": comparison.failures,
            "set_aside": [asdict(finding) for finding in problem.set_aside],
            "warnings": [warning.to_dict() for warning in comparison.warnings],
            "recommendation": {
                "learner": advice.learner,
                "tied": list(advice.tied),
                "beats_baseline": advice.beats_baseline,
                "prefer": advice.prefer,
                "against_best": None
                if advice.against_best is None
                else asdict(advice.against_best),
                "passed_over": list(advice.passed_over),
                "rows_to_settle": advice.rows_to_settle,
                "repeats_to_settle": advice.repeats_to_settle,
                "text": str(advice),
            },
            "folds": {
                "planned": len(comparison.splits),
                "compared": comparison.n_compared_folds,
                "finished": comparison.finished,
                "unfinished": comparison.unfinished,
            },
            "negligible": comparison.negligible(),
            "subgroups": [one.to_dict() for one in comparison.subgroup_tables],
            "ease": [one.to_dict() for one in comparison.eases],
            "selection": None if comparison.selection is None else comparison.selection.to_dict(),
            "unlabeled": [one.to_dict() for one in comparison.unlabeled],
            "seconds": comparison.seconds,
            "is_complete": comparison.is_complete,
        }
    )
    return document


def _standing(comparison: "Comparison", standing: Any) -> dict[str, Any]:
    scores = {
        name: asdict(comparison.score(standing.learner, name)) for name in comparison.plan.metrics
    }
    return {**asdict(standing), "scores": scores}


def _finite(value: Any) -> Any:
    """Return data with None in place of numbers that JSON does not have."""
    if isinstance(value, dict):
        return {key: _finite(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
