"""The recommended model explained: a drawing, rules, weights or importances, and one row."""

import math
from typing import TYPE_CHECKING, Any

from branchline import catalog
from branchline._plain_numbers import fixed, joined
from branchline.report._attributions import attributions_picture
from branchline.report._blocks import (
    Block,
    Code,
    Folded,
    Grid,
    Picture,
    Section,
    Words,
)
from branchline.report._boosting_rounds import rounds_blocks
from branchline.report._importance_pictures import importances_picture, one_row_picture
from branchline.report._learner_of import learner_of
from branchline.report._margins import margin_blocks
from branchline.report._words import named, number_words, plural
from branchline.tree import DecisionTreeClassifier, DecisionTreeRegressor

if TYPE_CHECKING:
    from branchline.report._findings import Findings

__all__ = ["model_section"]

_MOST_WEIGHTS, _WEIGHTS_OPEN = 300, 25
_MOST_NAMED = 20
_MOST_LINES, _MOST_LETTERS = 250, 30_000
_LARGEST_DRAWING = 250_000


def model_section(findings: "Findings") -> Section:
    """Return the section that explains the model."""
    title = f"The recommended model: {findings.learner_title}"
    if findings.model is None:
        words = Words(f"It cannot be shown: {findings.why_no_model}")
        return Section("model", title, (words,), "Model")
    learner = learner_of(findings.model)
    # Inputs were chosen with all rows, so what the learner says of its own rows is too good.
    blocks = [_introduction(findings), *_itself(learner, has_chosen=learner is not findings.model)]
    blocks += [*rounds_blocks(findings.model), *margin_blocks(findings.model)]
    blocks += importances_picture(findings)
    blocks += [*attributions_picture(findings), *one_row_picture(findings)]
    return Section("model", title, tuple(blocks), "Model")


def _introduction(findings: "Findings") -> Block:
    name = findings.comparison.learner(findings.label).name
    told = "" if name is None else catalog.entry(name).description
    rows = plural(findings.comparison.problem.n_rows, "row")
    told = f"{told} Shown here as fitted on all {rows}"
    if learner_of(findings.model) is not findings.model:
        names = [str(name) for name in findings.model.get_feature_names_out()]
        told += f", with the chosen inputs: {joined(names, _MOST_NAMED)}"
    return Words(f"{told}.".strip())


# -- the model itself ---------------------------------------------------------------------------


def _itself(model: Any, *, has_chosen: bool) -> list[Block]:
    """Return the model in the form in which a person reads it best."""
    if isinstance(model, DecisionTreeClassifier | DecisionTreeRegressor):
        return _tree(model)
    if hasattr(model, "summary") and hasattr(model, "coefficients"):
        return _summary(model)
    if hasattr(model, "coefficients"):
        return _coefficients(model)
    if hasattr(model, "forest_"):
        return [_forest(model, has_score=not has_chosen)]
    text = _text_of(model)
    return [Folded("The whole model as text", (Code(text),))] if text else []


def _tree(model: Any) -> list[Block]:
    drawing = model.draw(width=860)
    if len(drawing.svg) > _LARGEST_DRAWING:
        drawing = model.draw(width=860, max_depth=4)
    words = (
        "Each test sends a row down one of its branches, until it reaches a leaf, which predicts."
    )
    picture = Picture("The tree", drawing.svg, words, Code(_shortened(model.to_text())))
    rules = Folded("The tree as rules", (Code(_shortened(model.rules().to_text())),))
    return [picture, rules]


def _forest(model: Any, *, has_score: bool) -> Words:
    n_trees, n_leaves = plural(model.n_estimators_, "tree"), model.complexity().count
    told = (
        f"It has {n_trees} with {plural(n_leaves, 'leaf')} in all: too many to be read one by one."
    )
    if model.oob_score_ is None or not has_score:
        return Words(told)
    what = "accuracy" if hasattr(model, "classes_") else "R²"
    by_unseen = "with each row predicted by the trees that had not seen it"
    score = fixed(model.oob_score_)
    known = getattr(model, "oob_interval_", None)  # a model from a file has no training rows
    if known is not None:
        score = f"{score} (95 % interval {fixed(known.low)} to {fixed(known.high)})"
    return Words(f"{told} Out of bag, {by_unseen}, its {what} is {score}.")


def _summary(model: Any) -> list[Block]:
    """Return the coefficients of a regression with their tests."""
    summary = model.summary()
    heads = ("term", "coefficient", "from", "to", "p-value")
    rows = tuple(
        (
            row.term,
            number_words(row.coefficient),
            "–" if row.low is None else number_words(row.low),
            "–" if row.high is None else number_words(row.high),
            "–" if row.p is None else "< 0.001" if row.p < 1e-3 else fixed(row.p),
        )
        for row in sorted(summary.rows, key=_largest_first)
    )
    words = Words(
        "A coefficient is the change of the prediction for one unit more of the term, with the "
        "others unchanged. If its interval contains 0, there may be no effect at all."
    )
    return [words, *_weights("Coefficients with 95 % intervals", heads, rows)]


def _coefficients(model: Any) -> list[Block]:
    """Return the weights of a linear model; of a logistic one the odds ratios."""
    has_odds = hasattr(model, "odds_ratios")
    listed = model.odds_ratios() if has_odds else model.coefficients()
    entries = [
        (row.output, row.term, row.ratio if has_odds else row.value, row.low, row.high)
        for row in listed
    ]
    # Of each class the largest first; an odds ratio of 0.5 changes as much as one of 2.
    place = {output: at for at, output in enumerate(dict.fromkeys(entry[0] for entry in entries))}
    entries.sort(key=lambda entry: (place[entry[0]], -_size(entry[2], is_ratio=has_odds)))
    has_intervals = any(entry[3] is not None for entry in entries)
    outputs = {entry[0] for entry in entries}
    what = "odds ratio" if has_odds else "weight"
    heads = (*(["class"] if len(outputs) > 1 else []), "term", what)
    heads = (*heads, "from", "to") if has_intervals else heads
    rows = []
    for output, term, value, low, high in entries:
        ends = tuple("–" if end is None else number_words(end) for end in (low, high))
        row = (*([str(output)] if len(outputs) > 1 else []), term, number_words(value))
        rows.append((*row, *ends) if has_intervals else row)
    is_one_class = len(outputs) == 1 and hasattr(model, "classes_")
    about = str(next(iter(outputs))) if is_one_class else ""
    toward = f" The larger the sum, the more it speaks for {named(about)}." if about else ""
    words = Words(_odds_words(listed, about) if has_odds else _WEIGHT_WORDS + toward)
    n_words = len(heads) - 1 - 2 * has_intervals
    return [words, *_weights(f"{what.capitalize()}s", heads, tuple(rows), n_words)]


def _size(value: float, *, is_ratio: bool) -> float:
    if is_ratio:
        return abs(math.log(value)) if 0 < value < math.inf else math.inf
    return abs(value) if math.isfinite(value) else 0.0


def _largest_first(row: Any) -> tuple[bool, float]:
    """Return a key that puts the intercept first, then the largest coefficients."""
    return row.term != "intercept", -_size(row.coefficient, is_ratio=False)


_WEIGHT_WORDS = (
    "The model adds these up: a weight is the change of the sum for one unit more of the "
    "term, or when a category is there."
)


def _odds_words(listed: Any, about: str) -> str:
    of = f" of {named(about)}" if about else ""
    interval = getattr(listed, "interval", None)
    ends = f" Intervals: {interval}." if interval else ""
    return (
        f"An odds ratio says by what one unit more of the term multiplies the odds{of}: 2 doubles "
        f"them, 0.5 halves them, 1 changes nothing.{ends}"
    )


def _weights(
    caption: str, heads: tuple[str, ...], rows: tuple[tuple[str, ...], ...], n_words: int = 1
) -> list[Block]:
    blocks: list[Block] = [Grid(caption, heads, rows[:_WEIGHTS_OPEN], n_words)]
    rest = rows[_WEIGHTS_OPEN:_MOST_WEIGHTS]
    if rest:
        inner: list[Block] = [Grid(f"{caption}, continued", heads, rest, n_words)]
        if len(rows) > _MOST_WEIGHTS:
            inner.append(Words(f"… and {len(rows) - _MOST_WEIGHTS:,} more.", "quiet"))
        blocks.append(Folded(plural(len(rows) - _WEIGHTS_OPEN, "more term"), tuple(inner)))
    return blocks


def _text_of(model: Any) -> str:
    return _shortened(model.to_text()) if hasattr(model, "to_text") else ""


def _shortened(text: str) -> str:
    lines = text.splitlines()
    shown = "\n".join(lines[:_MOST_LINES])[:_MOST_LETTERS]
    return shown if len(shown) >= len(text.rstrip("\n")) else shown + "\n…"
