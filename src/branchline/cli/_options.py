"""Options that several verbs share, and what their texts mean."""

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Annotated, Any

import typer

from branchline._plain_numbers import joined
from branchline.cli._complete import metric_names
from branchline.errors import ParameterError, Repair

__all__ = [
    "Data",
    "DrawSeed",
    "Json",
    "Keep",
    "Metric",
    "Page",
    "Positive",
    "Save",
    "Seed",
    "Target",
    "TaskName",
    "Tune",
    "check_choices",
    "parse_assignments",
    "parse_costs",
    "parse_kinds",
    "parse_list",
    "parse_share",
    "parse_time",
]

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout.")]
Data = Annotated[
    str, typer.Argument(help="A table: CSV, Excel, Parquet, JSON, SQLite, ARFF, …; - reads stdin.")
]
Target = Annotated[str, typer.Option("--target", "-t", help="The column to predict.")]
Seed = Annotated[int, typer.Option(min=0, help="Seed of the folds and of the learners.")]
DrawSeed = Annotated[int, typer.Option(min=0, help="Seed of all random draws.")]
Keep = Annotated[
    list[str] | None,
    typer.Option(help="Use this column although it looks like an identifier; may be repeated."),
]
Positive = Annotated[
    str | None, typer.Option(help="The class that precision, recall and the like describe.")
]
TaskName = Annotated[
    str | None,
    typer.Option(
        "--task",
        help="classification or regression. Default: decided by the target (text or two values: "
        "classification).",
    ),
]

Tune = Annotated[
    str | None,
    typer.Option("--tune", "--tuning", help="Search the learner's space: small, medium, large."),
]
Page = Annotated[
    str | None,
    typer.Option("--page", help="Write a page with tables and pictures: .html or .md."),
]
Save = Annotated[str | None, typer.Option(help="Write the fitted model to this file.")]
Metric = Annotated[
    str | None,
    typer.Option(
        help="What is measured: accuracy, auc, log_loss, f1, cost, rmse, mae, r2 …",
        autocompletion=metric_names,
    ),
]

_TIME = re.compile(r"(\d+(?:\.\d+)?)\s*(s|sec|m|min|h)?", re.IGNORECASE)
_SECONDS = {"s": 1, "sec": 1, "m": 60, "min": 60, "h": 3600}
_COST = re.compile(r"(.+?)>(.+?)=(\d+(?:\.\d+)?)")


def check_choices(given: Mapping[str, tuple[str | None, Sequence[str]]]) -> None:
    """Refuse an option whose value is not one of its choices; ``given`` holds both by flag."""
    for flag, (value, choices) in given.items():
        if value is None or value in choices:
            continue
        near = get_close_matches(value.casefold().replace("-", "_"), choices, n=1, cutoff=0.5)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise ParameterError(
            f"{flag} must be {joined(list(choices), len(choices), last='or')}. Got {value!r} "
            f"instead.{hint}",
            code="P300",
            values=[value],
            repair=Repair(flag=f"{flag} {(near or choices)[0]}"),
        )


def parse_kinds(texts: Sequence[str] | None) -> dict[str, str]:
    """Return ``--kind COLUMN=KIND`` as a mapping."""
    return dict(parse_assignment(text, "--kind", "category") for text in texts or ())


def parse_assignments(texts: Sequence[str] | None) -> dict[str, Any]:
    """Return ``--set NAME=VALUE`` as parameters: numbers, true, false, none, (8,4), or text."""
    pairs = (parse_assignment(text, "--set", "3") for text in texts or ())
    return {name: _value(text) for name, text in pairs}


def parse_assignment(text: str, option: str, example: str) -> tuple[str, str]:
    """Return the two sides of NAME=VALUE."""
    name, equals, value = text.rpartition("=")
    if not equals or not name:
        raise ParameterError(
            f"{option} takes NAME=VALUE, got {text!r}.",
            code="P013" if option == "--kind" else "P130",
            values=[text],
            repair=Repair(flag=f"{option} {text.strip('=') or 'name'}={example}"),
        )
    return name, value


def _value(text: str) -> Any:
    words = {"true": True, "false": False, "none": None}
    if text.lower() in words:
        return words[text.lower()]
    if text.startswith("(") and text.endswith(")"):
        return tuple(_value(part.strip()) for part in text[1:-1].split(",") if part.strip())
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def parse_list(text: str | None) -> list[str]:
    """Return the names in a list such as "auc,f1"."""
    return [name.strip() for name in (text or "").split(",") if name.strip()]


def parse_time(text: str | None) -> float | None:
    """Return ``--time-budget 60s`` in seconds; a number alone is seconds."""
    if text is None:
        return None
    found = _TIME.fullmatch(text.strip())
    if found is None or float(found[1]) == 0:
        raise ParameterError(
            f"--time-budget takes a time such as 60s, 5m or 1h, got {text!r}.",
            code="P130",
            values=[text],
            repair=Repair(flag="--time-budget 60s"),
        )
    return float(found[1]) * _SECONDS[(found[2] or "s").lower()]


def parse_share(text: str | None) -> float | None:
    """Return ``--seal 20%`` as a share; 0.2 is the same."""
    if text is None:
        return None
    try:
        share = float(text.strip().removesuffix("%")) / (100 if text.strip().endswith("%") else 1)
    except ValueError:
        share = -1.0
    if not 0.01 <= share <= 0.9:
        raise ParameterError(
            f"--seal takes a share between 1% and 90%, got {text!r}.",
            code="P130",
            values=[text],
            repair=Repair(flag="--seal 20%"),
        )
    return share


def parse_costs(text: str | None, classes: Sequence[Any]) -> dict[tuple[Any, Any], float] | None:
    """Return ``--costs "bad>good=5,good>bad=1"`` as {(truth, predicted): cost}."""
    if text is None:
        return None
    by_text = {str(name): name for name in classes}
    costs: dict[tuple[Any, Any], float] = {}
    for part in text.split(","):
        found = _COST.fullmatch(part.strip())
        if found is None or found[1] not in by_text or found[2] not in by_text:
            names = list(by_text) or ["yes", "no"]
            example = f"{names[0]}>{names[-1]}=5"
            raise ParameterError(
                "--costs takes TRUTH>PREDICTED=COST with names of classes "
                f"({', '.join(by_text)}), got {part.strip()!r}.",
                code="P130",
                values=[part],
                repair=Repair(flag=f'--costs "{example}"'),
            )
        costs[by_text[found[1]], by_text[found[2]]] = float(found[3])
    return costs
