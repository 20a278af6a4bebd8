"""Several targets on the command line: ``branchline fit FILE -t a,b`` fits a model for each."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from branchline._warn import warn
from branchline.cli._reading import Reading, open_data, several_columns
from branchline.errors import ParameterError, Repair

if TYPE_CHECKING:
    from branchline.outputs import MultiOutput
    from branchline.table import Table

__all__ = ["fit_several", "predictions_of", "probabilities_of"]


def fit_several(
    path: str,
    target: str,
    learner: str,
    reading: Reading,
    keep: Sequence[str],
    options: Mapping[str, Any],
) -> "tuple[MultiOutput, dict[str, Any], list[str]] | None":
    """Return a model of several targets, what is told of it, and notes; None: it is one target.

    ``options``: tune, intervals, task, seed and settings, as the command line gives them.
    """
    from branchline.assess import make_problem
    from branchline.assess.comparing import set_aside_cautions
    from branchline.cli._sealing import without_sealed
    from branchline.outputs import MultiOutput

    data = open_data(path)
    table = reading.read(data)
    names = several_columns(table, target)
    if names is None:
        return None
    _refuse(options)
    kept, note = without_sealed(path, data, reading, table)
    for name in names:
        kept = reading.with_target(kept, name)
    problem = make_problem(kept.drop(names[1:]), names[0], keep=keep)
    for caution in set_aside_cautions(problem):
        warn(caution)
    task, seed = options["task"], options["seed"]
    estimator = _estimator(learner, options["settings"], task, seed)
    model = MultiOutput(estimator, tasks=task, random_state=seed)
    model.fit(problem.table, kept.select(names))
    about = {"targets": names, "rows": kept.n_rows}
    return model, about, [note] if note else []


def _refuse(options: Mapping[str, Any]) -> None:
    for name, option in (("tune", "--tune"), ("intervals", "--intervals")):
        if options[name]:
            raise ParameterError(
                f"{option} is for one target. Fit each target alone to use it.",
                code="P879",
                repair=Repair(flag=f"leave {option} out, or give one --target"),
            )


def _estimator(learner: str, settings: dict[str, Any], task: str | None, seed: int) -> Any:
    """Return the learner; one with settings of its own needs to know its task."""
    from branchline import catalog

    if not settings:
        return learner
    if task is None:
        raise ParameterError(
            "--set with several targets needs --task: the settings of a learner of classes and of "
            "one of numbers can differ.",
            code="P879",
            repair=Repair(flag="--task classification"),
        )
    return catalog.make(learner, task=task, random_state=seed, **settings)


def predictions_of(model: Any, rows: "Table") -> dict[str, Any]:
    """Return the predictions of each target as columns."""
    frame = model.to_frame(rows, "polars")
    return {f"prediction of {name}": frame[name].to_list() for name in model.outputs_}


def probabilities_of(model: Any, rows: "Table") -> dict[str, Any]:
    """Return the probabilities of the classes of each target as columns."""
    columns = {}
    for name, classes, given in zip(
        model.outputs_, model.classes_, model.predict_proba(rows), strict=True
    ):
        for place, one in enumerate(() if classes is None else classes.tolist()):
            columns[f"probability of {name} = {one}"] = given[:, place].tolist()
    return columns
