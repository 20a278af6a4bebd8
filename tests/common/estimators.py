"""Every estimator of the library, as the common checks see them. A new estimator is added here."""

from typing import Any

from sklearn.utils import Tags

from branchline.baseline import MajorityClassifier, MeanRegressor
from branchline.encoding import TableEncoder
from branchline.tree import (
    C45,
    CART,
    ID3,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    OneRule,
    Stump,
)

ESTIMATORS: dict[str, Any] = {
    "majority": MajorityClassifier(),
    "mean": MeanRegressor(),
    "tree": DecisionTreeClassifier(),
    "tree-costs": DecisionTreeClassifier(
        criterion="entropy", missing="own", prune="mdl", max_leaf_nodes=9, min_samples_leaf=2
    ),
    "tree-reduced-error": DecisionTreeClassifier(missing="node_mode", prune="reduced-error"),
    "id3": ID3(),
    "c45": C45(),
    "cart": CART(),
    "one-rule": OneRule(),
    "stump": Stump(),
    "regression-tree": DecisionTreeRegressor(),
    "regression-tree-multiway": DecisionTreeRegressor(
        split="multiway", missing="fractional", prune="pessimistic", min_samples_leaf=2
    ),
    "regression-tree-mdl": DecisionTreeRegressor(missing="sample_mode", prune="mdl"),
    "regression-stump": Stump(task="regression"),
    "encoder": TableEncoder(),
    "encoder-range": TableEncoder(
        scale="range", min_frequency=3, max_categories=3, dates="parts", drop="most-frequent"
    ),
}


class _NumbersOnly:
    """The same estimator without the categorical tag: scikit-learn then tests real numbers."""

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.categorical = False
        return tags


def _twin(kind: type) -> type:
    name = f"{kind.__name__}OfNumbers"
    # Pickle looks classes up in their module, so the twin must be found there.
    twin = type(name, (_NumbersOnly, kind), {"__module__": __name__, "__init__": kind.__init__})
    globals()[name] = twin
    return twin


_TWINS = {kind: _twin(kind) for kind in {type(model) for model in ESTIMATORS.values()}}


def numbers_only(model: Any) -> Any:
    """Return a copy of ``model`` whose tags do not mention categories."""
    return _TWINS[type(model)](**model.get_params())
