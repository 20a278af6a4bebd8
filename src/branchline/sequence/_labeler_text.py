"""A sequence labeler as text and as a frame: its strongest features, its transitions."""

from typing import Any

import numpy as np

from branchline._plain_numbers import alike, count, signed
from branchline._result_frame import result_frame

__all__ = ["labeler_frame", "labeler_text"]

_MOST_LABELS = 12


def labeler_text(model: Any, most: int) -> str:
    """Return the strongest features of each label, and the weights of transitions."""
    names = [str(name) for name in model.classes_.tolist()]
    lines = [
        f"{count(len(names), 'label')}, {count(model.features_.n_features, 'feature')}, learned "
        f"from {count(model.n_sequences_, 'sequence')} in {count(model.n_epochs_, 'epoch')}"
    ]
    if np.isfinite(model.gap_):
        lines.append(f"objective {model.objective_:.4f} per token, gap {model.gap_:.1e}")
    centered = model.feature_weights_ - model.feature_weights_.mean(axis=1, keepdims=True)
    for at, name in enumerate(names[:_MOST_LABELS]):
        best = np.argsort(-centered[:, at], kind="stable")[:most]
        shown = [
            f"{model.features_.name_of(int(feature), model.schema_)} "
            f"{signed(float(centered[feature, at]))}"
            for feature in best.tolist()
            if centered[feature, at] > 0
        ]
        lines.append(f"{name}: {'; '.join(shown) or 'no feature speaks for it'}")
    return "\n".join([*lines, "", *_transition_lines(model, names)])


def _transition_lines(model: Any, names: list[str]) -> list[str]:
    """Return the weights of transitions as a small table, – where forbidden."""
    if len(names) > _MOST_LABELS:
        return [f"transitions: {len(names)} labels are too many to show; see to_frame()"]
    before, after = [*names, "start"], [*names, "end"]
    flat = alike(np.where(model.allowed_ == 1, model.transition_weights_, 0.0).ravel().tolist())
    cells = np.array(flat, dtype=object).reshape(len(before), len(after))
    cells[model.allowed_ == 0] = "–"
    cells[-1, -1] = ""
    widths = [max(len(str(text)) for text in [head, *cells[:, at]])
              for at, head in enumerate(after)]  # fmt: skip
    left = max(len("before"), *map(len, before))
    heads = "  ".join(f"{head:>{width}}" for head, width in zip(after, widths, strict=True))
    lines = ["weight of a label (row) before another (column):", f"{'':<{left}}  {heads}"]
    for name, row in zip(before, cells, strict=True):
        shown = "  ".join(f"{text:>{width}}" for text, width in zip(row, widths, strict=True))
        lines.append(f"{name:<{left}}  {shown}".rstrip())
    return lines


def labeler_frame(model: Any, library: Any) -> Any:
    """Return a row for each weight that is not 0."""
    rows: list[tuple[str, str, float]] = []
    names = [str(name) for name in model.classes_.tolist()]
    for feature, label in np.argwhere(model.feature_weights_ != 0).tolist():
        what = model.features_.name_of(feature, model.schema_)
        rows.append((what, names[label], float(model.feature_weights_[feature, label])))
    before, after = [*names, "the start"], [*names, "the end"]
    for first, second in np.argwhere(model.transition_weights_ != 0).tolist():
        weight = float(model.transition_weights_[first, second])
        rows.append((f"after {before[first]}", after[second], weight))
    columns = [list(column) for column in zip(*rows, strict=True)] or [[], [], []]
    return result_frame(dict(zip(("feature", "label", "weight"), columns, strict=True)), library)
