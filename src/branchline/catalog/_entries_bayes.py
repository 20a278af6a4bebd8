"""Naive Bayes."""

from collections.abc import Mapping

from branchline.catalog._entry import Entry, Reference, Size
from branchline.catalog._spaces import Between, Space

__all__ = ["BAYES"]

_WEIGHT = Between(0.1, 1.0)
_ALPHA = ["auto", 0.1, 1.0, 10.0]

_NAIVE_BAYES: Mapping[Size, Space] = {
    "small": ({"numeric": [None, "gaussian"], "column_weight": [1.0, 0.5]},),
    "medium": (
        {
            "numeric": [None, "gaussian", "binned", "auto"],
            "column_weight": [1.0, 0.7, 0.4],
            "alpha": ["auto", 1.0],
        },
    ),
    "large": (
        {"numeric": [None, "auto"], "column_weight": _WEIGHT, "alpha": _ALPHA},
        {
            "numeric": ["gaussian"],
            "variance_prior": Between(0.1, 30.0, log=True),
            "column_weight": _WEIGHT,
            "alpha": _ALPHA,
        },
        {
            "numeric": ["binned"],
            "n_bins": Between(3, 60, log=True, whole=True),
            "column_weight": _WEIGHT,
            "alpha": _ALPHA,
        },
    ),
}

BAYES = (
    Entry(
        name="naive_bayes",
        title="Naive Bayes",
        family="bayes",
        classes={"classification": "branchline.bayes.NaiveBayes"},
        handles=frozenset({"categories", "missing", "weights", "probabilities", "incremental"}),
        description=(
            "Asks each column by itself how probable its cell is in each class, and multiplies "
            "the answers. Fast, good with few rows or many columns, and every column's influence "
            "can be read off; it can go on learning as rows arrive. Columns that repeat each "
            "other are counted twice, so its probabilities tend to be too sure."
        ),
        reference=Reference(
            "John, G. H. and Langley, P.",
            "Estimating continuous distributions in Bayesian classifiers. Proceedings of the "
            "Eleventh Conference on Uncertainty in Artificial Intelligence, 338–345",
            1995,
        ),
        spaces={"classification": _NAIVE_BAYES},
        aliases=("bayes", "nb", "simple_bayes"),
    ),
)
