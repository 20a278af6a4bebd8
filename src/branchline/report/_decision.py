"""The first section: what to do, how sure that is, and what to check before."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from branchline._base import Estimator
from branchline._plain_numbers import duration
from branchline.assess.comparing import (
    amount_words,
    choice_words,
    cost_words,
    ranks_words,
    tested_words,
    unfinished_words,
)
from branchline.errors import BranchlineWarning, ParameterError
from branchline.report._blocks import Block, Facts, Notice, Section, Words
from branchline.report._scores import baseline_sentence, brief_score, score_sentence
from branchline.report._words import (
    chance_words,
    joined,
    named,
    plural,
    title_of,
    with_article,
)

if TYPE_CHECKING:
    from branchline.report._findings import Findings

__all__ = ["cautions", "decision_section", "decision_sentence", "doubt_sentence"]

_FEW_ROWS = 100
# A column that is a copy of the target; no error at all on rows that were not seen.
_TOO_GOOD = ("W003", "W011")
# Columns set aside, leaks, repeated and constant ones, unfinished folds, sealed rows: each has its
# own sentence in a report. Every other warning is shown as it is.
_TOLD_ELSEWHERE = frozenset({"W001", "W002", "W003", "W004", "W005", "W006", "W007"})


def decision_section(findings: "Findings") -> Section:
    """Return the decision, the uncertainty about it, and the cautions."""
    blocks: list[Block] = [
        Words(decision_sentence(findings), "lead"),
        Words(doubt_sentence(findings)),
        Facts(tuple(_facts(findings))),
        *(Notice(text) for text in cautions(findings)),
    ]
    return Section("decision", "Decision", tuple(blocks))


def decision_sentence(findings: "Findings") -> str:
    """Say what to do, and how well it may work, in a sentence for everyone."""
    comparison = findings.comparison
    target = named(comparison.problem.target_name)
    score = score_sentence(comparison, findings.standing.score, findings.label)
    plain = _baseline_words(findings)
    if findings.is_baseline:
        others = len(comparison.standings) - 1
        if others == 0:
            return f"No model could be compared: what is left is {plain}, which {score}."
        tried = "the model tried is not" if others == 1 else f"none of the {others} models tried is"
        by = f" by {comparison.plan.metric}" if comparison.recommendation.ranks else ""
        return (
            f"Do not use a model to predict {target} yet: {tried} shown to do better{by} than "
            f"{plain}, which {score}."
        )
    use = f"Use {with_article(findings.learner_title)} to predict {target}"
    if any(warning.code in _TOO_GOOD for warning in comparison.warnings):
        use = (
            "This score looks too good to be true: check the warnings below first. If nothing is "
            f"wrong, {use[0].lower()}{use[1:]}"
        )
    sentence = f"{use}: it {score}"
    baseline = findings.baseline
    than = "" if baseline is None else baseline_sentence(comparison, baseline.score)
    return f"{sentence}; {plain} {than}." if than else f"{sentence}."


def _baseline_words(findings: "Findings") -> str:
    """Say what the baseline does; with thresholds it may answer the rarer class.

    Of classes that are about as frequent as each other, folds may have different answers.
    """
    comparison = findings.comparison
    problem = comparison.problem
    if problem.classes is None:
        return "always predicting the mean"
    answers = problem.places
    if findings.baseline is not None:
        answers = comparison.outcome(comparison.plan.baseline).predicted
        if len(np.unique(answers)) > 1:
            which = "best" if comparison.plan.tunes_threshold else "most frequent"
            return f"always answering with the {which} class"
    counts = np.bincount(answers, minlength=len(problem.classes))
    return f"always answering {named(problem.classes[int(counts.argmax())])}"


def doubt_sentence(findings: "Findings") -> str:
    """Say how sure the decision is, what else came as close, and what would settle it."""
    comparison = findings.comparison
    advice = comparison.recommendation
    how = (
        f"All this was measured on rows that the models had not seen ({tested_words(comparison)})."
    )
    sure = _against_baseline(findings)
    ranks = ranks_words(comparison, _titles(findings)) if advice.ranks else ""
    parts = [_cost(findings), sure, _ties(findings), ranks, advice.settling, how, advice.reading]
    return " ".join(part for part in parts if part)


def _against_baseline(findings: "Findings") -> str:
    """Say how probable it is that the model, or the best one, is better than the baseline."""
    comparison, label = findings.comparison, findings.label
    if findings.baseline is None:
        return f"The baseline has no {comparison.plan.metric} to compare with."
    if findings.is_baseline:
        others = [one.learner for one in comparison.standings if one.learner != label]
        if not others:
            return ""
        label = others[0]
    try:
        found = comparison.difference(label, comparison.plan.baseline)
    except ParameterError:  # fewer than two common test sets
        return "There are too few test sets to say how sure that is."
    sure, by_much = chance_words(found.p_above), chance_words(found.p_higher)
    size = amount_words(comparison, comparison.negligible())
    than = f"better than {_baseline_words(findings)}"
    told = f"the probability that it is {than} is {sure}, by more than {size} {by_much}"
    if sure == by_much:
        told = f"the probability that it is {than}, by more than {size}, is {sure}"
    if findings.is_baseline:
        return f"Closest is {with_article(title_of(comparison, label))}: {told}."
    return f"{told[0].upper()}{told[1:]}."


def _cost(findings: "Findings") -> str:
    """Say what the recommended model probably costs against the best score."""
    comparison = findings.comparison
    if findings.is_baseline:
        return ""
    return cost_words(comparison, comparison.recommendation, _titles(findings))


def _ties(findings: "Findings") -> str:
    """Say which learners came as close, and why this one was taken."""
    comparison = findings.comparison
    if findings.is_baseline or len(comparison.standings) <= 1:
        return ""
    subject = with_article(findings.learner_title)
    subject = subject[0].upper() + subject[1:]
    return choice_words(comparison, comparison.recommendation, _titles(findings), subject)


def _titles(findings: "Findings") -> Callable[[str], str]:
    return lambda label: with_article(title_of(findings.comparison, label))


def _facts(findings: "Findings") -> list[tuple[str, str, str]]:
    comparison, standing = findings.comparison, findings.standing
    metric = comparison.plan.metric
    score, ends = brief_score(comparison, standing.score)
    facts = [
        (f"{metric} of {with_article(findings.learner_title)}", score, f"95 % interval {ends}")
    ]
    if findings.baseline is not None and not findings.is_baseline:
        plain, _ = brief_score(comparison, findings.baseline.score)
        facts.append((f"{metric} of the baseline", plain, _baseline_words(findings)))
    inputs = plural(comparison.problem.table.n_columns, "input")
    facts.append(("data", plural(comparison.problem.n_rows, "row"), inputs))
    size = _size(findings)
    facts.append(("model", size, f"fitted in {duration(standing.fit_seconds)}"))
    return facts


def _size(findings: "Findings") -> str:
    """Return how large the model is that was fitted on all rows; else those of the test sets."""
    if isinstance(findings.model, Estimator):
        return str(findings.model.complexity())
    standing = findings.standing
    return plural(standing.size, standing.unit) if standing.size else "–"


def _warned(findings: "Findings") -> list[str]:
    """Return the warnings of the comparison that the report does not tell in its own words."""
    return [
        f"{warning.message} {_repair(warning)}[{warning.code}]"
        for warning in findings.comparison.warnings
        if warning.code not in _TOLD_ELSEWHERE
    ]


def _repair(warning: BranchlineWarning) -> str:
    return f"Repair: {warning.repair.flag}. " if warning.repair.flag else ""


def cautions(findings: "Findings") -> list[str]:
    """Return what should be checked before the decision is relied on."""
    comparison = findings.comparison
    told = []
    if findings.leaks:
        names = joined([named(leak.column) for leak in findings.leaks], 3)
        told.append(
            f"Check {names} first: {'it tells' if len(findings.leaks) == 1 else 'each tells'} the "
            "target almost alone, which is often a sign that it was written down after the outcome."
        )
    told += _warned(findings)
    if comparison.failures:
        told.append(f"{joined(list(comparison.failures))} failed and could not be compared.")
    told += [unfinished_words(comparison)] if not comparison.is_complete else []
    if comparison.problem.n_rows < _FEW_ROWS:
        rows = plural(comparison.problem.n_rows, "row")
        told.append(f"The table has only {rows}: expect surprises on new ones.")
    if findings.why_no_model:
        told.append(f"Fitting it on all rows failed: {findings.why_no_model}")
    looks = tuple(getattr(comparison.seal, "looks", ()))
    if len(looks) > 1:
        told.append(
            f"The sealed test set was looked at {len(looks)} times: it is no longer a fair test."
        )
    return told
