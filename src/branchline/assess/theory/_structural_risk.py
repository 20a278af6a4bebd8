"""Structural risk: choose the size of a model by five rules side by side.

Models of a hierarchy grow: polynomials of growing degree, trees with more leaves, more inputs,
narrower margins. The training error falls along it, and what must be added for the richness of the
model grows. Vapnik's principle takes the least sum. AIC, BIC and the description length add other
penalties, cross-validation measures. ``_size_criteria`` has the formulas, ``_capacity`` the VC
dimensions, ``_size_rules`` the cross-validation.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from branchline._plain_numbers import joined, number
from branchline._validation import OneOf, Real, Whole, check_parameters, check_seed
from branchline.assess._keywords import checked_keywords
from branchline.assess.comparing._make_problem import make_problem
from branchline.assess.comparing._problem import Problem
from branchline.assess.theory._hierarchies import HIERARCHIES
from branchline.assess.theory._size_rules import SizeWork, least
from branchline.assess.theory._size_table import SizeChoice, SizeStep, StructuralRisk
from branchline.errors import DataError, ParameterError, Repair

__all__ = ["structural_risk"]

_TOO_LOOSE = (
    "Every VC bound is above 1, so the bounds say nothing about the error. Do not choose by them."
)
_LOOSE = (
    "The VC bound holds for any distribution and is therefore loose: it is far above the error, "
    "and often chooses too small a model. Prefer cross-validation."
)
_NO_LIKELIHOOD = (
    "A margin has no likelihood, so AIC, BIC and MDL do not choose. Where the margin does not make "
    "h smaller than the number of terms + 1, the VC bound looks at the training error alone."
)
_PRACTICAL = (
    "The bound for numbers is the practical formula of Cherkassky and others: a rule, not a "
    "guarantee."
)


@checked_keywords
def structural_risk(
    X: Any,
    y: Any,
    *,
    along: str = "leaves",
    sizes: Sequence[Any] | None = None,
    n_folds: int = 5,
    epsilon: float = 0.05,
    random_state: Any = 0,
) -> StructuralRisk:
    """Choose the size of a model by the VC bound, AIC, BIC, MDL and cross-validation, side by side.

    Columns that only name rows are left out.

    Parameters
    ----------
    X, y
        The table and its target; or, with ``y`` the name of a column, the table that holds it.
    along
        "degree": polynomials of the inputs up to this degree. "leaves" (default): trees with this
        many leaves. "inputs": linear models on this many inputs. "margin": linear support vector
        machines for two classes, with growing C.
    sizes
        The sizes to try; None (default): a usual range. Sizes that the rows do not allow are left
        out.
    n_folds
        The number of folds, outer and inner. Default 5.
    epsilon
        How probable it may be that one of the VC bounds does not hold. Default 0.05.
    random_state
        The seed of the folds. Default 0.

    See Also
    --------
    StructuralRisk

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.assess.theory import structural_risk
    >>> found = structural_risk(load_dataset("iris"), "species", along="leaves", sizes=[1, 2, 3, 5])
    >>> [(choice.rule, choice.size) for choice in found.choices]
    [('vc', 3), ('aic', 5), ('bic', 3), ('mdl', 3), ('cv', 3)]
    """
    given = {"along": along, "n_folds": n_folds, "epsilon": epsilon}
    rules: dict[str, Any] = {"along": OneOf(tuple(HIERARCHIES)), "n_folds": Whole(2)}
    rules["epsilon"] = Real(0.0, 1.0, low_open=True)
    check_parameters("structural_risk", given, rules)
    problem = make_problem(X, y)
    hierarchy = HIERARCHIES[along]
    _check_task(along, problem)
    wanted = _checked_sizes(along, sizes, problem)
    work = SizeWork(problem, hierarchy, wanted, epsilon, n_folds, check_seed(random_state))
    _check_folds(work)
    return _assembled(along, work)


def _assembled(along: str, work: SizeWork) -> StructuralRisk:
    problem, asked = work.problem, work.sizes
    work = work.within_reach()
    if not work.sizes:
        raise _no_size(along, problem)
    fits = work.fits(problem)
    found = work.criteria(problem, fits)
    of_size, of_rule, in_folds = work.assess()
    chosen = work.chosen(problem, fits)
    chosen["cv"] = least({size: of_size[size].estimate for size in fits})
    left_out = [size for size in asked if size not in fits]
    return StructuralRisk(
        along,
        work.hierarchy.unit,
        work.metric.name,
        problem.n_rows,
        len(next(iter(in_folds.values()))),
        work.epsilon,
        tuple(SizeStep(size, **vars(found[size]), cv=of_size[size]) for size in fits),
        tuple(
            SizeChoice(rule, size, of_rule[rule], tuple(in_folds[rule]))
            for rule, size in chosen.items()
        ),
        _notes(problem, found, left_out),
        {size: fitted.model for size, fitted in fits.items()},
    )


def _notes(problem: Problem, found: Mapping[Any, Any], left_out: Sequence[Any]) -> tuple[str, ...]:
    notes = []
    if problem.classes is not None:
        vacuous = all(one.bound >= 1 for one in found.values())
        notes.append(_TOO_LOOSE if vacuous else _LOOSE)
    else:
        notes.append(_PRACTICAL)
    if all(math.isnan(one.aic) for one in found.values()):
        notes.append(_NO_LIKELIHOOD)
    if left_out:
        shown = joined([number(size) for size in left_out])
        notes.append(f"Left out, because the rows do not allow them: {shown}.")
    if problem.set_aside:
        shown = joined([finding.name for finding in problem.set_aside])
        notes.append(f"Left out, because they only name rows: {shown}.")
    return tuple(notes)


# -- what is refused -----------------------------------------------------------------------------


def _check_task(along: str, problem: Problem) -> None:
    hierarchy = HIERARCHIES[along]
    is_two = problem.classes is not None and len(problem.classes) == 2
    if problem.task in hierarchy.tasks and (along != "margin" or is_two):
        return
    seen = "numbers" if problem.classes is None else f"{len(problem.classes)} classes"
    raise ParameterError(
        f"along={along!r} needs a target of two classes; {problem.target_name!r} has {seen}.",
        code="P360",
        values=[along],
        repair=Repair("structural_risk(X, y, along='leaves')", "--along leaves"),
    )


def _checked_sizes(along: str, sizes: Sequence[Any] | None, problem: Problem) -> list[Any]:
    hierarchy = HIERARCHIES[along]
    if sizes is None:
        return list(hierarchy.sizes(problem))
    is_list = isinstance(sizes, Sequence) and not isinstance(sizes, str) and len(sizes) > 0
    wrong = [size for size in sizes if not hierarchy.allowed.allows(size)] if is_list else [sizes]
    if wrong:
        raise ParameterError(
            f"sizes must be a list; along {along!r} each size is {hierarchy.allowed.describe()}. "
            f"Got {wrong[0]!r}.",
            code="P361",
            values=wrong,
            repair=Repair("structural_risk(X, y, along='leaves', sizes=[1, 2, 4, 8])"),
        )
    return sorted(set(sizes))


def _check_folds(work: SizeWork) -> None:
    if len(work.folds(work.problem)) < 2:
        raise DataError(
            f"Cross-validation needs at least two different rows (or groups); there are "
            f"{work.problem.n_rows} rows.",
            code="D470",
        )


def _no_size(along: str, problem: Problem) -> DataError:
    return DataError(
        f"{problem.n_rows} rows allow none of the sizes asked for along {along!r}: the models have "
        "as many parameters as there are rows, or trees cannot grow that far.",
        code="D471",
        repair=Repair(f"structural_risk(X, y, along={along!r})", f"--along {along}"),
    )
