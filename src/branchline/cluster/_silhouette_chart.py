"""Silhouettes as a chart: a bar for each row, cluster by cluster, the largest first."""

from typing import TYPE_CHECKING

import numpy as np

from branchline._plain_numbers import count
from branchline.charts import Axis, Bars, Chart, Rule

if TYPE_CHECKING:
    from branchline.cluster._silhouette import Silhouette

__all__ = ["draw_silhouette"]

_MOST_BARS = 400
_BETWEEN = 0.02  # of all bars, between two clusters


def draw_silhouette(found: "Silhouette") -> Chart:
    """Return the silhouettes of all rows; of many rows, evenly spread ones of each cluster."""
    known = np.isfinite(found.of_row)
    labels, values = np.asarray(found.labels)[known], found.of_row[known]
    step = max(1, -(-len(values) // _MOST_BARS))
    room = max(1.0, _BETWEEN * len(values) / step)
    bars, place = [], 0.0
    for color, (label, mean) in enumerate(found.of_cluster.items()):
        inside = np.sort(values[labels == label])[::-1]
        shown = inside[(step - 1) // 2 :: step] if len(inside) >= step else inside[:1]
        name = f"cluster {label}: {count(len(inside), 'row')}, mean {mean:.2f}"
        at = place + np.arange(len(shown))
        bars.append(Bars(at, shown, name, color, along="y", width=1.0))
        place += len(shown) + room
    below = int((values < 0).sum())
    note = "1: far from other clusters; 0: between two; below 0: nearer to another cluster"
    note += f" ({count(below, 'row')})." if below else "."
    if step > 1:
        note += f" One bar stands for {step} rows."
    return Chart(
        (*bars, Rule(found.mean, "y", f"mean {found.mean:.2f}")),
        Axis("rows, cluster by cluster", ends=(-1.0, place)),
        Axis("silhouette"),
        "How well rows lie in their clusters",
        note,
        _words(found, below),
    )


def _words(found: "Silhouette", below: int) -> str:
    means = ", ".join(f"cluster {label} {mean:.2f}" for label, mean in found.of_cluster.items())
    lie = "row is" if below == 1 else "rows are"
    return (
        f"Silhouettes of rows. Mean {found.mean:.2f}; {means}. {below:,} {lie} nearer to another "
        "cluster."
    )
