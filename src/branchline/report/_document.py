"""A report as plain data, ready for JSON."""

import math
from dataclasses import asdict
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np

from branchline.report._again import command_words, python_words
from branchline.report._boosting_rounds import validated_rounds
from branchline.report._decision import cautions, decision_sentence, doubt_sentence
from branchline.report._margins import machine_facts
from branchline.report._recipe import recipe_of
from branchline.report._repeat_section import seal_document, versions
from branchline.report._worst_rows import worst_rows

if TYPE_CHECKING:
    from branchline.report._findings import Findings

__all__ = ["FORMAT", "document"]

FORMAT = "branchline-report/1"
_MOST_COLUMNS = 400
_MOST_CLASSES = 100


def document(findings: "Findings") -> dict[str, Any]:
    """Return everything that the report tells."""
    comparison = findings.comparison
    told: dict[str, Any] = plain(
        {
            "format": FORMAT,
            "title": findings.title,
            "decision": {
                "sentence": decision_sentence(findings),
                "doubt": doubt_sentence(findings),
                "cautions": cautions(findings),
                "warnings": [warning.to_dict() for warning in comparison.warnings],
                "learner": findings.label,
                "is_baseline": findings.is_baseline,
            },
            "data": _data(findings),
            "comparison": comparison.to_dict(),
            "model": _model(findings),
            "errors": _errors(findings),
            "seal": seal_document(comparison.seal),
            "repeat": {
                "command": findings.command or command_words(comparison),
                "python": python_words(comparison, findings.reading),
                "versions": versions(),
                "recipe": recipe_of(comparison, findings.options),
            },
        }
    )
    return told


def _data(findings: "Findings") -> dict[str, Any]:
    look = findings.look.to_dict()
    return {
        **look,
        "columns": look["columns"][:_MOST_COLUMNS],
        "leaks": [leak.to_dict() for leak in findings.leaks],
    }


def _model(findings: "Findings") -> dict[str, Any]:
    measured, explanation = findings.measured, findings.explanation
    parts, rounds = measured.attributions, validated_rounds(findings.model)
    importances = None if measured.found is None else asdict(measured.found)
    if importances is not None:
        importances["columns"] = importances["columns"][:_MOST_COLUMNS]
    return {
        "class": None if findings.model is None else type(findings.model).__name__,
        "why_none": findings.why_no_model or None,
        "importances": importances,
        "importances_are_out_of_bag": measured.out_of_bag,
        "why_no_importances": measured.why_not or None,
        "rounds": None if rounds is None else rounds.to_dict(),
        "margins": machine_facts(findings.model),
        "attributions": None if parts is None else parts.to_dict(),
        "explained_row": findings.explained_row,
        "explanation": None if explanation is None else _largest_parts(explanation.to_dict()),
    }


def _largest_parts(explanation: dict[str, Any]) -> dict[str, Any]:
    """Keep the largest parts: those of ten thousand columns would make most of a report."""
    return {**explanation, "parts": explanation["parts"][:_MOST_COLUMNS]}


def _errors(findings: "Findings") -> dict[str, Any]:
    columns, worst = worst_rows(findings)
    told: dict[str, Any] = {
        "n_rows": len(findings.outcome),
        "slices": [one.to_dict() for one in findings.slices],
        "worst_rows": [{**one.to_dict(), "cells": _cells(columns, one.cells)} for one in worst],
    }
    confusion = findings.confusion
    if confusion is not None and len(confusion.classes) <= _MOST_CLASSES:
        told["confusion"] = {
            "classes": [str(name) for name in confusion.classes],
            "counts": confusion.counts.tolist(),
            "total_cost": confusion.total_cost,
        }
    curve = findings.calibration
    if curve is not None:
        fields = {name: value.tolist() for name, value in vars(curve).items()}
        told["calibration"] = {**fields, "error": curve.error, "is_off": curve.is_off}
    for name, found in (
        ("calibration_line", findings.calibration_line),
        ("gain", findings.gain),
        ("decision_curve", findings.decision_curve),
    ):
        if found is not None:
            told[name] = found.to_dict()
    for name, ranking in (("roc", findings.roc), ("precision_recall", findings.precision_recall)):
        if ranking is not None:
            told[name] = {"area": asdict(ranking.area)}
    return told


def _cells(columns: tuple[str, ...], cells: tuple[Any, ...]) -> dict[str, Any]:
    return dict(zip(columns, cells, strict=True))


def plain(value: Any) -> Any:
    """Return data that JSON has: None for NaN and infinity, text for moments."""
    if isinstance(value, dict):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(part) for part in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, date | datetime | timedelta):
        return str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, bool | int | str) else str(value)
