"""From an estimator's parameters to the recipe of its training."""

from typing import Any

from branchline.neural._training import Recipe

__all__ = ["recipe_of"]

# Up to this many rows lbfgs, which uses all at once, is more accurate than adam in the same time.
_ROWS_FOR_ADAM = 100_000


def recipe_of(model: Any, n_rows: int) -> Recipe:
    """Return the recipe for ``n_rows`` rows; layers and penalty are left to the caller."""
    few = "lbfgs" if n_rows <= _ROWS_FOR_ADAM else "adam"
    return Recipe(
        hidden_layer_sizes=(),
        activation=model.activation,
        solver=few if model.solver == "auto" else model.solver,
        alpha=0.0,
        learning_rate=float(model.learning_rate),
        batch_size=model.batch_size,
        max_iter=int(model.max_iter),
        tol=float(model.tol),
        patience=int(model.patience),
        validation_fraction=float(model.validation_fraction) if model.early_stopping else None,
    )
