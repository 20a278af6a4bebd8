"""Where the recommended model errs, on rows that it had not seen."""

from typing import TYPE_CHECKING

from branchline._plain_numbers import alike
from branchline._plain_numbers import fine_percent as percent
from branchline.report._blocks import Block, Grid, Section, SideBySide, Words
from branchline.report._calibration_words import calibration_blocks
from branchline.report._confusion_blocks import class_by_class, confusion_picture, frequent_pairs
from branchline.report._gain_pictures import gain_pictures
from branchline.report._importance_pictures import cell_words
from branchline.report._ranking_pictures import ranking_pictures
from branchline.report._residual_pictures import residual_pictures
from branchline.report._slices_picture import slices_picture
from branchline.report._words import number_words, plural
from branchline.report._worst_rows import worst_rows

if TYPE_CHECKING:
    from branchline.report._findings import Findings

__all__ = ["errors_section"]

_FEW_CLASSES = 4  # with so few the confusion matrix stands next to other pictures
_MANY_CLASSES = 8  # with more, a list of confusions is easier to read than the grid


def errors_section(findings: "Findings") -> Section:
    """Return the section about errors."""
    n_tested = plural(len(findings.outcome), "row")
    words = f"This section is about {n_tested} that the model predicted without having seen them."
    inner = _of_numbers(findings) if findings.outcome.classes is None else _of_classes(findings)
    blocks = [Words(words), *inner, *slices_picture(findings), _worst(findings)]
    return Section("errors", "Where it errs", tuple(blocks), "Errors")


def _of_numbers(findings: "Findings") -> list[Block]:
    return [SideBySide(tuple(residual_pictures(findings))), *calibration_blocks(findings)]


def _of_classes(findings: "Findings") -> list[Block]:
    found = findings.confusion
    assert found is not None
    n_classes = len(found.classes)
    drawn = confusion_picture(found, has_costs=findings.outcome.costs is not None)
    rankings = ranking_pictures(findings)
    blocks: list[Block] = []
    if drawn is not None and n_classes <= _FEW_CLASSES:
        blocks.append(SideBySide((drawn, *rankings)))
        drawn, rankings = None, []
    if drawn is not None:
        blocks.append(drawn)
    if n_classes > _MANY_CLASSES:
        blocks.append(frequent_pairs(found))
    blocks.append(class_by_class(found))
    if rankings:
        blocks.append(SideBySide(tuple(rankings)))
    blocks += calibration_blocks(findings)
    gains = gain_pictures(findings)
    if gains:
        blocks.append(SideBySide(tuple(gains)))
    if findings.outcome.probabilities is None:
        words = "It does not give probabilities, so calibration and ranking cannot be shown."
        blocks.append(Words(words, "quiet"))
    return blocks


def _worst(findings: "Findings") -> Block:
    columns, found = worst_rows(findings)
    if not found:
        return Words("No row was predicted wrongly.")
    is_regression = findings.outcome.classes is None
    heads = ("row", "true", "predicted", "error" if is_regression else "how sure", *columns)
    sizes = _sizes([one.size for one in found], is_regression=is_regression)
    rows = []
    for one, size in zip(found, sizes, strict=True):
        predicted = number_words(one.predicted) if is_regression else cell_words(one.predicted)
        cells = (cell_words(cell) for cell in one.cells)
        rows.append((str(one.row), cell_words(one.truth), predicted, size, *cells))
    which = "largest" if is_regression else "most confident"
    caption = f"The {which} errors; rows are counted from 0. "
    caption += (
        "The baseline looks at no column; shown are the first ones"
        if findings.is_baseline
        else "The columns are those that weigh most in these predictions"
    )
    return Grid(caption, heads, tuple(rows), n_words=len(heads))


def _sizes(sizes: list[float | None], *, is_regression: bool) -> list[str]:
    """Return how wrong rows are: errors with their sign and like decimals, or probabilities."""
    if not is_regression:
        return ["–" if size is None else percent(size) for size in sizes]
    known = [0.0 if size is None else size for size in sizes]
    return [f"{'+' * (size > 0)}{text}" for size, text in zip(known, alike(known), strict=True)]
