"""A grid labeler for people: as text, as a frame, why cells have their labels, and a drawing."""

from typing import Any

import numpy as np

from branchline._arrays import AnyArray, Floats, Places
from branchline._plain_numbers import alike, count, signed
from branchline._result_frame import result_frame
from branchline.sequence._grid_decoding import best_labels
from branchline.sequence._grid_marks import GridMarks
from branchline.sequence._sequence_explanation import SequenceExplanation, TokenExplanation
from branchline.sequence._training_grids import checked_layouts

__all__ = ["draw_grid", "explain_cells", "grid_frame", "grid_text"]

_MOST_LABELS = 12
# Where a neighbor stands, seen from a cell: lines down, columns right, words.
_SIDES = ((0, -1, "left"), (-1, 0, "above"), (0, 1, "right"), (1, 0, "below"))


def explain_cells(
    model: Any, grids: GridMarks, features: AnyArray, labels: Places
) -> SequenceExplanation:
    """Return the explanation of one grid.

    Parameters
    ----------
    model
        The fitted labeler.
    grids
        Where the cells stand.
    features
        The features of each cell (row).
    labels
        The places of the labels.
    """
    names = model.classes_.tolist()
    margins = _margins(model, grids, features, labels)
    near = grids.neighbors([side[:2] for side in _SIDES])
    cells = []
    for cell, here in enumerate(labels.tolist()):
        around = [
            (f"{names[labels[near[at, cell]]]} {side[2]}", _pair_weights(model, at,
                                                                      labels[near[at, cell]]))
            for at, side in enumerate(_SIDES)
            if near[at, cell] >= 0
        ]  # fmt: skip
        own = model.weights_.features[features[cell]]
        scores = own.sum(axis=0) + sum((weights for _, weights in around), np.zeros(len(names)))
        scores[here] = -np.inf
        other = int(np.argmax(scores)) if len(names) > 1 else None
        parts: list[tuple[str, float]] = []
        if other is not None:
            said = [model.features_.name_of(int(one), model.schema_) for one in features[cell]]
            parts = list(zip(said, (own[:, here] - own[:, other]).tolist(), strict=True))
            parts += [(name, float(each[here] - each[other])) for name, each in around]
        cells.append(
            TokenExplanation(
                row=int(grids.marks.order[cell]),
                label=names[here],
                runner_up=None if other is None else names[other],
                ahead=float(sum(amount for _, amount in parts)),
                margin=float(margins[cell]),
                parts=tuple(sorted(parts, key=lambda part: -abs(part[1]))),
            )
        )
    return SequenceExplanation(tuple(cells))


def _pair_weights(model: Any, side: int, neighbor: int) -> Floats:
    """Return what the label of a neighbor adds to each label of a cell."""
    pairs = model.weights_.down if _SIDES[side][0] else model.weights_.across
    found: Floats = pairs[neighbor] if min(_SIDES[side][:2]) < 0 else pairs[:, neighbor]
    return found


def _margins(model: Any, grids: GridMarks, features: AnyArray, labels: Places) -> Floats:
    """Return how far the best labeling is ahead of the best one with another label at each cell."""
    if len(model.classes_) == 1:
        return np.full(len(labels), np.inf)
    ((_, layout),) = checked_layouts(grids, len(model.classes_))
    cells = model.weights_.of_cells(features)
    pairs = (model.weights_.across, model.weights_.down)
    best = best_labels(layout, cells[None], pairs)[1][0]
    found = np.empty(len(labels))
    for cell, here in enumerate(labels.tolist()):
        other = cells.copy()
        other[cell, here] = -np.inf
        found[cell] = best - best_labels(layout, other[None], pairs)[1][0]
    return found


def grid_text(model: Any, most: int) -> str:
    """Return the strongest features of each label, and the weights of pairs."""
    names = [str(name) for name in model.classes_.tolist()]
    lines = [
        f"{count(len(names), 'label')}, {count(model.features_.n_features, 'feature')}, learned "
        f"from {count(model.n_grids_, 'grid')} with {count(model.n_planes_, 'cutting plane')}",
        f"objective {model.objective_:.4f} per cell, gap {model.gap_:.1e}",
    ]
    weights = model.weights_.features
    centered = weights - weights.mean(axis=1, keepdims=True)
    for at, name in enumerate(names[:_MOST_LABELS]):
        best = np.argsort(-centered[:, at], kind="stable")[:most].tolist()
        shown = [
            f"{model.features_.name_of(feature, model.schema_)} "
            f"{signed(float(centered[feature, at]))}"
            for feature in best
            if centered[feature, at] > 0
        ]
        lines.append(f"{name}: {'; '.join(shown) or 'no feature speaks for it'}")
    if len(names) > _MOST_LABELS:
        return "\n".join([*lines, "", f"pairs: {len(names)} labels are too many; see to_frame()"])
    for words, pairs in (("left of", model.weights_.across), ("above", model.weights_.down)):
        lines += ["", f"weight of a label (row) {words} another (column):"]
        lines += _square(names, pairs)
    return "\n".join(lines)


def _square(names: list[str], pairs: Floats) -> list[str]:
    cells = np.array(alike(pairs.ravel().tolist()), dtype=object).reshape(pairs.shape)
    widths = [max(len(text) for text in [name, *cells[:, at]]) for at, name in enumerate(names)]
    left = max(map(len, names))
    rows = [("", names), *zip(names, cells, strict=True)]
    return [
        f"{name:<{left}}  "
        + "  ".join(f"{text:>{width}}" for text, width in zip(row, widths, strict=True))
        for name, row in rows
    ]


def grid_frame(model: Any, library: Any) -> Any:
    """Return a row for each weight that is not 0."""
    rows: list[tuple[str, str, float]] = []
    names = [str(name) for name in model.classes_.tolist()]
    weights = model.weights_
    for feature, label in np.argwhere(weights.features != 0).tolist():
        what = model.features_.name_of(feature, model.schema_)
        rows.append((what, names[label], float(weights.features[feature, label])))
    for words, pairs in (("left", weights.across), ("above", weights.down)):
        for first, second in np.argwhere(pairs != 0).tolist():
            rows.append((f"{names[first]} {words}", names[second], float(pairs[first, second])))
    columns = [list(column) for column in zip(*rows, strict=True)] or [[], [], []]
    return result_frame(dict(zip(("feature", "label", "weight"), columns, strict=True)), library)


def draw_grid(model: Any, grids: GridMarks, labels: Places) -> Any:
    """Return the labels of one grid as a chart."""
    from branchline.charts import Axis, Cells, Chart

    names = tuple(str(name) for name in model.classes_.tolist())
    high, wide = (grids.places.max(axis=0, initial=0) + 1).tolist()
    values = np.full((high, wide), np.nan)
    values[grids.places[:, 0], grids.places[:, 1]] = labels
    counted = np.bincount(labels, minlength=len(names))
    said = ", ".join(f"{name}: {cells}" for name, cells in zip(names, counted, strict=True))
    edges = np.arange(wide + 1) - 0.5, np.arange(high + 1) - 0.5
    marks = (Cells(edges[0], edges[1], values, names=names, name="label"),)
    return Chart(
        marks,
        Axis(model.column, categories=tuple(str(place) for place in range(wide))),
        Axis(model.row, categories=tuple(str(place) for place in range(high))),
        "Predicted labels of a grid",
        f"{count(len(labels), 'cell')}: {said}.",
    )
