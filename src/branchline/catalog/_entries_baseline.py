"""The baselines."""

from collections.abc import Mapping

from branchline.catalog._entry import Entry, Reference, Size
from branchline.catalog._spaces import Space

__all__ = ["BASELINES"]

_NOTHING_TO_TUNE: Mapping[Size, Space] = {"small": ({},), "medium": ({},), "large": ({},)}

BASELINES = (
    Entry(
        name="baseline",
        title="Majority class or mean",
        family="baseline",
        classes={
            "classification": "branchline.baseline.MajorityClassifier",
            "regression": "branchline.baseline.MeanRegressor",
        },
        handles=frozenset({"categories", "missing", "sparse", "weights", "probabilities"}),
        description=(
            "Always predicts the same: the most frequent class, or the mean. It uses no column, so "
            "a learner that does not beat it has learned nothing. It is in every comparison. Where "
            "one class is rare, its accuracy shows how little a high accuracy can mean."
        ),
        reference=Reference(
            "Holte, R. C.",
            "Very simple classification rules perform well on most commonly used datasets. "
            "Machine Learning 11, 63–90",
            1993,
        ),
        spaces={"classification": _NOTHING_TO_TUNE, "regression": _NOTHING_TO_TUNE},
        aliases=("majority", "mean", "dummy", "constant", "zero_rule"),
    ),
)
