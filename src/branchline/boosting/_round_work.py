"""The rounds of a fit as work that other processes can do (``_part_rounds``)."""

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from branchline._part_rounds import OPTIONS, RoundWork
from branchline.errors import ParameterError, Repair

if TYPE_CHECKING:
    from branchline.boosting._gradient_boosting_problem import BoostingProblem
    from branchline.boosting._loss_interface import NativeLoss
    from branchline.boosting._rounds import Rounds

__all__ = ["work_of"]


def work_of(rounds: "Rounds", has_native_rounds: bool) -> RoundWork:
    """Return what the rounds need, as arrays; refuse what parts of the rows cannot be grown by.

    Parameters
    ----------
    rounds
        Rounds that have not begun.
    has_native_rounds
        Whether leaves take Newton steps of a loss that is the same in every round.
    """
    problem = rounds.problem
    if not has_native_rounds or problem.linear is not None:
        raise ParameterError(
            "A cluster grows gradient boosting whose leaves are Newton steps: with the losses "
            "squared_error, log_loss, exponential, poisson, gamma and tweedie, second_order=True "
            "and constant leaves. Fit this model in one process.",
            code="P951",
            repair=Repair("model.fit(X, y)"),
        )
    of_models: dict[str, Any] = {"target": rounds.target, "raw": rounds.raw.reshape(-1)}
    if rounds.copies is not None:
        parts = (np.concatenate(of_each) for of_each in zip(*rounds.copies, strict=True))
        of_models |= dict(zip(("copies", "first_copy", "each"), parts, strict=True))
    elif rounds.units is not None:
        of_models["units"] = rounds.units
    coded = problem.columns.coded
    of_columns: dict[str, Any] = {
        "n_codes": coded.n_codes,
        "is_category": coded.is_category.astype(np.uint8),
    }
    constraints = {"monotone": problem.monotone, "groups": problem.groups}
    of_columns |= {name: one for name, one in constraints.items() if one is not None}
    return RoundWork(
        _settings_of(problem),
        list(coded.columns),
        of_columns,
        {"keys": problem.rows.keys},
        of_models,
        problem.n_rows,
    )


def _settings_of(problem: "BoostingProblem") -> dict[str, Any]:
    loss = cast("NativeLoss", problem.loss)
    options = problem.options
    return {
        **{name: getattr(options, name) for name in OPTIONS},
        "growth": int(options.growth.value),
        "loss": int(loss.kind.value),
        "parameters": [float(value) for value in loss.parameters],
        "n_outputs": loss.n_outputs,
        "has_classes": loss.has_classes,
        "learning_rate": float(problem.settings.learning_rate),
        "seed": int(problem.seed),
        "subsample": float(problem.settings.subsample),
    }
