"""What a fitted model says of each column: importances of trees, sizes of weights.

Forests give the importance corrected for chance. Of a linear model, a column has the root of the
sum of its squared weights, over its terms (indicators of a category, say) and outputs; terms are
scaled, so that weights can be compared.
"""

from typing import Any

import numpy as np

from branchline._arrays import Floats
from branchline.errors import ParameterError, Repair
from branchline.table import Schema

__all__ = ["model_importance"]


def model_importance(model: Any, schema: Schema) -> Floats:
    """Return one number for each column of the schema, from 0."""
    importances = getattr(model, "feature_importances_", None)
    if importances is not None and len(importances) == len(schema):
        return np.maximum(np.asarray(importances, dtype=np.float64), 0.0)
    weights, encoding = getattr(model, "weights_", None), getattr(model, "encoding_", None)
    if weights is not None and encoding is not None:
        squares = np.square(np.atleast_2d(np.asarray(weights, dtype=np.float64))).sum(axis=0)
        found = np.zeros(len(schema))
        for square, names in zip(squares, model._sums.columns_of_terms(), strict=True):
            for name in names:
                found[schema.position[name]] += square
        return np.sqrt(found)
    coefficients = getattr(model, "coef_", None)  # of other libraries: a number for each column
    if coefficients is not None and np.atleast_2d(coefficients).shape[1] == len(schema):
        return np.asarray(np.linalg.norm(np.atleast_2d(coefficients), axis=0))
    raise ParameterError(
        f"{type(model).__name__} has neither importances nor weights of columns.",
        code="P572",
        values=[type(model).__name__],
        repair=Repair("ModelSelector(estimator='random_forest')"),
    )
