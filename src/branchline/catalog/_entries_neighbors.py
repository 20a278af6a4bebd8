"""Learners that keep their rows and ask the nearest."""

from collections.abc import Mapping, Sequence
from typing import Any

from branchline.catalog._entry import Entry, Plusses, Reference, Size
from branchline.catalog._spaces import Between, Space

__all__ = ["NEIGHBORS"]

_PLUSSES = Plusses(accuracy=2, efficiency=1, interpretability=2, ease=2)
_HANDLES = frozenset({"categories", "missing", "probabilities", "incremental"})

_DISTANCES: Mapping[str, Sequence[Any]] = {
    "distance": ["overlap", "value_difference"],
    "metric": ["euclidean", "manhattan"],
    "column_weights": ["relevance", None],
}
_NEAREST: Mapping[Size, Space] = {
    "small": (
        {"distance": ["overlap", "value_difference"], "column_weights": ["relevance", None]},
    ),
    "medium": ({**_DISTANCES, "scale": ["sd", "range"]},),
    "large": (
        {
            **_DISTANCES,
            "scale": ["sd", "range"],
            "column_weights": ["relevance", None, "tuned"],
            "n_neighbors": Between(1, 100, log=True, whole=True),
            "weights": ["uniform", "distance"],
        },
    ),
}
_PARZEN: Mapping[Size, Space] = {
    "small": ({"kernel": ["gaussian", "epanechnikov"], "column_weights": ["relevance", None]},),
    "medium": ({**_DISTANCES, "kernel": ["gaussian", "epanechnikov"]},),
    "large": (
        {
            **_DISTANCES,
            "column_weights": ["relevance", None, "tuned"],
            "kernel": ["gaussian", "epanechnikov", "boxcar"],
            "scale": ["sd", "range"],
        },
    ),
}

NEIGHBORS = (
    Entry(
        name="nearest_neighbors",
        title="k nearest neighbors",
        family="neighbors",
        classes={
            "classification": "branchline.neighbors.NearestNeighborsClassifier",
            "regression": "branchline.neighbors.NearestNeighborsRegressor",
        },
        handles=_HANDLES,
        description=(
            "Looks up the most similar rows it has seen and lets them vote, or takes their mean. "
            "How many are asked is chosen by cross-validation. It explains itself by examples and "
            "follows any shape of boundary, but it keeps all rows, slows down as they grow, and is "
            "misled by many columns without information."
        ),
        reference=Reference(
            "Cover, T. M. and Hart, P. E.",
            "Nearest neighbor pattern classification. IEEE Transactions on Information Theory 13, "
            "21–27",
            1967,
        ),
        spaces={"classification": _NEAREST, "regression": _NEAREST},
        aliases=("knn", "k_nn", "neighbors", "nearest_neighbours", "ibk"),
        plusses=_PLUSSES,
    ),
    Entry(
        name="parzen",
        title="Parzen windows",
        family="neighbors",
        classes={
            "classification": "branchline.neighbors.ParzenClassifier",
            "regression": "branchline.neighbors.ParzenRegressor",
        },
        handles=_HANDLES,
        description=(
            "All rows have an influence, the near ones more: a smooth curve through the table. Its "
            "width is chosen by cross-validation. Smoother than nearest neighbors and good where "
            "rows lie evenly; in sparse corners it averages over rows that are too far away."
        ),
        reference=Reference(
            "Nadaraya, E. A.",
            "On estimating regression. Theory of Probability and Its Applications 9, 141–142",
            1964,
        ),
        spaces={"classification": _PARZEN, "regression": _PARZEN},
        aliases=("kernel_regression", "nadaraya_watson"),
    ),
)
