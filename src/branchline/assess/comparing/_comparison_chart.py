"""The scores of all learners of a comparison with their intervals, as a chart."""

from typing import TYPE_CHECKING

from branchline.assess._find_metric import find_metric
from branchline.assess.comparing._tie_words import group_title
from branchline.charts import Chart, IntervalRow, interval_rows

if TYPE_CHECKING:
    from branchline.assess.comparing._comparison import Comparison

__all__ = ["comparison_chart"]


def comparison_chart(comparison: "Comparison", metric: str | None = None) -> Chart:
    """Return a row for each learner, the best first, in groups of ties where the metric decides."""
    name = comparison.plan.metric if metric is None else metric
    decides = name == comparison.plan.metric
    chosen = comparison.recommendation.learner if decides else ""
    rows = []
    for standing in comparison.standings:
        score = standing.score if decides else comparison.score(standing.learner, name)
        group = group_title(comparison, standing) if decides else ""
        rows.append(
            IntervalRow(
                standing.learner,
                score.estimate,
                score.low,
                score.high,
                " ".join(score.texts()),
                group,
                standing.learner == chosen,
            )
        )
    less = find_metric(name, comparison.problem.task).less_is_better
    better = "less" if less else "more"
    note = f"95 % intervals on rows that the models had not seen; {better} is better."
    note += " The arrow marks the recommended learner." if chosen else ""
    return interval_rows(rows, name, "The comparison", note=note)
