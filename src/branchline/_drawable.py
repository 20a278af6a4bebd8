"""What every result that holds a curve has: ``draw()``.

A class states in ``_chart`` which figure shows it. The import of ``branchline.charts`` happens
there, when a chart is asked for, so that fitting a model loads nothing of it.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from branchline.charts import Chart

__all__ = ["Drawable"]


class Drawable:
    """A result that can be drawn."""

    def _chart(self) -> "Chart":
        raise NotImplementedError

    def draw(self, ax: Any = None) -> Any:
        """Return the result as a chart (``branchline.charts.Chart``).

        Parameters
        ----------
        ax
            Axes of matplotlib. When they are given, the result is drawn on them and they are
            returned.
        """
        chart = self._chart()
        return chart if ax is None else chart.on(ax)
