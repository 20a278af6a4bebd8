"""The small chart in every node: class shares as a bar, or a mean with its standard deviation.

Both kinds answer the same questions, so that the pictures need not know which one they draw:
``chart`` (the marks), ``color`` (of what is predicted) and ``height``.
"""

from typing import Protocol

import numpy as np

from branchline._drawing import number, path
from branchline.tree.drawing._colors import MEAN_COLORS, colored_classes
from branchline.tree.drawing._node_words import NodeWords
from branchline.tree.drawing._shown_nodes import ShownNode, ShownTree

__all__ = ["ClassBars", "MeanCharts", "NodeCharts", "charts_for"]

_MOST_OUTPUTS = 4


class NodeCharts(Protocol):
    """What draws the charts of nodes."""

    @property
    def height(self) -> float:
        """How many pixels a chart in a box needs."""

    @property
    def line_height(self) -> float | None:
        """Height of a chart in a line, in pixels; None: the height may carry information."""

    def color(self, shown: ShownNode) -> str:
        """Return the style of the color of what a node predicts."""

    def chart(self, shown: ShownNode, x: float, y: float, width: float, height: float) -> str:
        """Return a chart whose upper left corner is at (x, y)."""


def charts_for(tree: ShownTree, words: NodeWords) -> "ClassBars | MeanCharts":
    """Return what draws the charts of a tree."""
    return MeanCharts(tree) if words.classes is None else ClassBars(tree, words)


class ClassBars:
    """Bars whose parts are as long as the classes are frequent."""

    height = 8.0
    line_height = None

    def __init__(self, tree: ShownTree, words: NodeWords) -> None:
        self._words = words
        self.colors = colored_classes(tree.nodes[0].value)

    def color(self, shown: ShownNode) -> str:
        """Return the style of the class that a node decides for."""
        return self._style(self._words.decided(shown))

    def chart(self, shown: ShownNode, x: float, y: float, width: float, height: float) -> str:
        """Return a bar of class shares, classes without a color last."""
        present = np.flatnonzero(shown.value).tolist()
        parts = [(self._style(place), float(shown.value[place])) for place in present]
        others = sum(share for style, share in parts if style == "cx")
        parts = [part for part in parts if part[0] != "cx"] + [("cx", others)]
        bars, until, left = [], 0.0, round(x)
        for style, share in parts:
            until += share
            right = round(x + until * width)  # whole pixels make sharp edges
            if right > left:
                bars.append(path(_bar(left, round(y), right - left, height), style))
            left = right
        return "".join(bars)

    def _style(self, place: int) -> str:
        return f"c{self.colors.get(place, 'x')}"


class MeanCharts:
    """Means as dots on a scale that all nodes share, with a bar of one standard deviation."""

    line_height = 8.0

    def __init__(self, tree: ShownTree) -> None:
        self.word = tree.center_word
        means = np.array([shown.value for shown in tree.nodes])
        deviations = np.array([shown.deviation for shown in tree.nodes])
        self.n_outputs = min(int(means.shape[1]), _MOST_OUTPUTS)
        self.overall = means[0]
        self.low, self.high = (means - deviations).min(axis=0), (means + deviations).max(axis=0)
        self.least, self.most = float(means[:, 0].min()), float(means[:, 0].max())

    @property
    def height(self) -> float:
        """How many pixels a chart in a box needs."""
        return 10.0 * self.n_outputs

    def color(self, shown: ShownNode) -> str:
        """Return the style of a mean: blue when small, orange when large."""
        position = self._between(float(shown.value[0]), self.least, self.most)
        return f"c{min(int(position * len(MEAN_COLORS)), len(MEAN_COLORS) - 1)}"

    def chart(self, shown: ShownNode, x: float, y: float, width: float, height: float) -> str:
        """Return one scale for each output, as far as the height allows."""
        n_scales = max(1, min(self.n_outputs, int(height / 7)))
        step = height / n_scales
        scales = [
            self._scale(shown, output, x, y + (output + 0.5) * step, width)
            for output in range(n_scales)
        ]
        return "".join(scales)

    def _scale(self, shown: ShownNode, output: int, x: float, y: float, width: float) -> str:
        def place(value: float) -> float:
            return x + width * self._between(value, self.low[output], self.high[output])

        mean, deviation = float(shown.value[output]), float(shown.deviation[output])
        left, right = place(mean - deviation), place(mean + deviation)
        overall = place(float(self.overall[output]))
        style, dot = self.color(shown), place(mean)
        axis = f"M{number(x)} {number(y)}h{number(width)}M{number(overall)} {number(y - 4)}v8"
        return (
            path(axis, "axis")
            + path(_bar(left, y - 2, right - left, 4), f"{style} sd")
            + path(_bar(dot - 1.5, y - 4, 3, 8), style)
        )

    @staticmethod
    def _between(value: float, low: float, high: float) -> float:
        value, low, high = value / 2, low / 2, high / 2  # a difference could overflow
        return 0.5 if high <= low else float(min(max((value - low) / (high - low), 0.0), 1.0))


def _bar(x: float, y: float, width: float, height: float) -> str:
    return f"M{number(x)} {number(y)}h{number(width)}v{number(height)}h{number(-width)}z"
