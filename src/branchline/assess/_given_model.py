"""The check of a model that a user gave: an estimator, not its name or its class."""

from typing import Any

from branchline._named_learners import is_estimator
from branchline.errors import ParameterError, Repair

__all__ = ["check_model"]


def check_model(model: Any) -> None:
    """Refuse what cannot be fitted."""
    if is_estimator(model):
        return
    what = repr(model) if isinstance(model, str | type) else type(model).__name__
    raise ParameterError(
        f"The model must be an estimator, with fit and predict; this is {what}.",
        code="P790",
        repair=Repair("model = branchline.make('tree', task='classification')"),
    )
