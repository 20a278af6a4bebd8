"""Targets from which nothing can be learned are refused before anything is fitted."""

from branchline.assess.comparing._problem import Problem
from branchline.errors import DataError, Repair

__all__ = ["refuse_unlearnable"]


def refuse_unlearnable(problem: Problem) -> None:
    """Refuse a target with one value, or with another class in every row."""
    first = problem.target[:1]
    is_constant = (problem.target == first).all()
    is_name = problem.classes is not None and len(problem.classes) == problem.n_rows
    if is_constant or is_name:
        why = f"only one value, {first[0]}" if is_constant else "another class in every row"
        raise DataError(
            f"There is nothing to learn: the target {problem.target_name!r} has {why}.",
            code="D137",
            column=problem.target_name,
            repair=Repair(
                "import branchline\nprint(branchline.look(X))  # lists the columns",
                "--target COLUMN; branchline look FILE lists the columns",
            ),
        )
