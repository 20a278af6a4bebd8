"""What was tried and how to do it again: the plan, seeds, versions, the rows, the commands."""

import platform
import re
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from branchline._plain_numbers import alike, duration, percent, rounded
from branchline.assess.comparing import preference_words, tested_words
from branchline.features import selector_words
from branchline.report._again import command_words, python_words
from branchline.report._blocks import Block, Code, Folded, Grid, Heading, Items, Section, Words
from branchline.report._words import plural

if TYPE_CHECKING:
    from branchline.assess import Plan
    from branchline.report._findings import Findings

__all__ = ["repeat_section", "seal_document", "seal_section", "versions"]

_PACKAGES = ("branchline", "scikit-learn", "numpy", "scipy", "polars")
_MOST_NOTES = 20
_NUMBER = re.compile(r"[−-]?\d[\d.,]*(?:e[+-]?\d+)?")
_LOOK_HEADS = ("when (UTC)", "model", "metric", "score", "from", "to", "rows")


def versions() -> dict[str, str]:
    """Return the versions that a repetition needs."""
    found = {"python": platform.python_version(), "system": platform.platform(terse=True)}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "unknown"
    return found


def repeat_section(findings: "Findings") -> Section:
    """Return the section that lets others do the same again."""
    comparison = findings.comparison
    blocks: list[Block] = [
        Grid("The plan", ("setting", "value"), tuple(_plan(findings)), n_words=2),
        Heading("To repeat it"),
        Words("The same rows, plan, seed and versions give the same numbers; times differ."),
        Code(findings.command or command_words(comparison), "sh"),
        Code(python_words(comparison, findings.reading), "python"),
        Words(
            "This file holds the recipe: a command makes it again and says which figures differ."
        ),
        Code("branchline replay this-report.html your-file.csv", "sh"),
        Grid("Versions", ("package", "version"), tuple(versions().items()), n_words=2),
        *_chosen(findings),
        *_warnings(findings),
    ]
    return Section("repeat", "What was tried, and how to repeat it", tuple(blocks), "Repeat it")


def _plan(findings: "Findings") -> list[tuple[str, str]]:
    comparison = findings.comparison
    plan, problem = comparison.plan, comparison.problem
    rows = [
        ("task", plan.task),
        ("target", problem.target_name),
        ("rows and inputs", f"{problem.n_rows:,} × {problem.table.n_columns:,}"),
        ("fingerprint of the rows", problem.fingerprint),
        ("learners", ", ".join(learner.label for learner in plan.learners)),
        ("tuning", _tuning(plan)),
        ("choice of inputs", _choosing(plan)),
        ("testing", tested_words(comparison)),
        ("metrics", f"{plan.metric} decides; also {', '.join(plan.metrics[1:]) or 'none'}"),
        ("too small to matter", f"{rounded(comparison.negligible(), 2)} ({plan.metric})"),
        ("preferred", f"{plan.prefer}: {preference_words(plan.prefer)}"),
        ("set aside", ", ".join(one.name for one in problem.set_aside) or "nothing"),
        ("seed", str(plan.seed)),
        ("models fitted", _fits_words(findings)),
        ("time", duration(comparison.seconds) if comparison.seconds >= 0 else "unknown"),
        ("carried out", "completely" if comparison.is_complete else "not to its end"),
    ]
    if plan.positive is not None:
        rows.append(("positive class", str(plan.positive)))
    if plan.costs is not None:
        rows.append(("costs of errors", str(plan.to_dict()["costs"])))
    if plan.time_budget is not None:
        rows.append(("time allowed", duration(plan.time_budget)))
    return rows


def _fits_words(findings: "Findings") -> str:
    """Say how many models were fitted, and of how many where the plan was not carried out."""
    comparison = findings.comparison
    planned = comparison.plan.count_fits(comparison.problem.n_rows)
    if comparison.is_complete:
        return f"{planned:,}"
    total = len(comparison.splits) * len(comparison.plan.learners)
    done = round(planned * len(comparison.results) / max(1, total))
    is_exact = comparison.plan.tuning is None and not comparison.plan.tunes_threshold
    about = "" if is_exact else "about "
    return f"{about}{done:,} of {planned:,}"


def _tuning(plan: "Plan") -> str:
    if plan.tuning is None:
        return "learners as they are, nothing tuned"
    return (
        f"each learner's {plan.tuning} space searched inside every training set, by "
        f"{plan.n_inner_folds} folds"
    )


def _choosing(plan: "Plan") -> str:
    if plan.select is None:
        return "none, all inputs are used"
    return f"by {selector_words(plan.select)}, anew in every training set"


def _chosen(findings: "Findings") -> list[Block]:
    """Return what the searches chose, where there were any."""
    rows = []
    for learner in findings.comparison.plan.learners:
        counts: dict[str, int] = {}
        for result in findings.comparison.results:
            if result.learner == learner.label and result.error is None and result.parameters:
                words = ", ".join(f"{name} = {value}" for name, value in result.parameters.items())
                counts[words] = counts.get(words, 0) + 1
        ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
        rows += [(learner.label, words, f"{count:,}") for words, count in ranked[:5]]
    if not rows:
        return []
    caption = "Parameters chosen, with the number of test sets"
    grid = Grid(caption, ("learner", "parameters", "chosen"), tuple(rows), n_words=2)
    return [Folded("What the searches chose", (grid,))]


def _warnings(findings: "Findings") -> list[Block]:
    """Return warnings of the fits; those that differ only in their numbers are told once."""
    counts: dict[tuple[str, str], int] = {}
    first: dict[tuple[str, str], str] = {}
    for result in findings.comparison.results:
        for note in result.notes:
            text = note.splitlines()[0] if note else ""
            key = (result.learner, _NUMBER.sub("#", text))
            counts[key] = counts.get(key, 0) + 1
            first.setdefault(key, text)
    if not counts:
        return []
    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:_MOST_NOTES]
    items = tuple(
        (f"{key[0]}, on {plural(count, 'test set')}", first[key]) for key, count in ranked
    )
    return [Folded(f"{plural(len(counts), 'warning')} during the fits", (Items(items),))]


# -- the sealed test set ------------------------------------------------------------------------


def seal_document(seal: Any) -> dict[str, Any] | None:
    """Return what is recorded of the sealed test set; its key stays secret."""
    if seal is None:
        return None
    looks = [asdict(look) for look in getattr(seal, "looks", ())]
    return {"fraction": getattr(seal, "fraction", None), "looks": looks}


def seal_section(findings: "Findings") -> Section | None:
    """Return every look at the sealed test set; None when nothing is sealed."""
    document = seal_document(findings.comparison.seal)
    if document is None:
        return None
    share = document["fraction"]
    part = "Some" if share is None else percent(share)
    begin = (
        f"{part} of the rows were sealed before anything was fitted and are in none of these "
        "figures."
    )
    looks = document["looks"]
    if not looks:
        words = Words(f"{begin} No model has been tested on them yet.")
        return Section("sealed", "The sealed test set", (words,))
    rows = tuple(
        (
            *(str(look[name]) for name in ("when", "model", "metric")),
            *alike([float(look[name]) for name in ("score", "low", "high")]),
            f"{look['n_rows']:,}",
        )
        for look in looks
    )
    only = " Only the first is a fair test." if len(looks) > 1 else ""
    words = Words(f"{begin} They were looked at {plural(len(looks), 'time')}.{only}")
    return Section("sealed", "The sealed test set", (words, Grid("Looks", _LOOK_HEADS, rows, 3)))
