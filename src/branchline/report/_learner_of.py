"""The learner inside a model that chooses inputs first: what a person reads."""

from typing import Any

from branchline.features import SelectedClassifier, SelectedRegressor

__all__ = ["learner_of"]


def learner_of(model: Any) -> Any:
    """Return the learner on chosen inputs; the model itself where no inputs are chosen."""
    is_selected = isinstance(model, SelectedClassifier | SelectedRegressor)
    return model.member_ if is_selected else model
