"""``fit`` and ``tree``: one model of a file, on the command line."""

import inspect
from collections.abc import Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from branchline._warn import warn
from branchline.catalog import SIZES, TASKS
from branchline.cli._drawing import TREES_DRAWN_AS, check_drawing, save_drawing
from branchline.cli._emit import fitting
from branchline.cli._options import check_choices, parse_assignments
from branchline.cli._outputs import check_output
from branchline.cli._reading import Reading, check_column, open_data
from branchline.cli._several_targets import fit_several
from branchline.errors import ParameterError, Repair, UnknownParameterError

if TYPE_CHECKING:
    from branchline.assess.comparing import Problem
    from branchline.table import Table

__all__ = ["fit", "grow_tree", "rows_to_learn"]


def fit(  # noqa: PLR0913 (an argument for each option of the command line)
    path: str,
    target: str,
    learner: str,
    save: str | None,
    *,
    settings: Sequence[str] | None,
    task: str | None,
    tune: str | None,
    seed: int,
    keep: Sequence[str],
    intervals: bool,
    reading: Reading,
    scan: bool | None = False,
) -> tuple[dict[str, Any], str]:
    """Fit a learner of the catalog on a file and save it, with its errors where that is asked."""
    from branchline import catalog, fit_intervals

    catalog.entry(learner)
    check_choices({"--tune": (tune, SIZES), "--task": (task, TASKS)})
    _check_places(None, save)
    parameters = parse_assignments(settings)
    if "," in target and path != "-" and not scan:
        asked: dict[str, Any] = {"tune": tune, "intervals": intervals, "task": task, "seed": seed}
        asked["settings"] = parameters
        several = fit_several(path, target, learner, reading, keep, asked)
        if several is not None:
            return _told_of_several(several, learner, save)
    problem, note = _problem(path, target, task, keep, reading, scan)
    whole = _unfitted(learner, tune, {"task": problem.task, "random_state": seed, **parameters})
    with fitting():
        whole.fit(problem.table, problem.target)
        model = getattr(whole, "best_estimator_", whole)
        if intervals:
            fit_intervals(model, problem.table, problem.target, estimator=whole, random_state=seed)
    text = [f"{type(model).__name__}: {model.complexity()}"]
    text += [model.to_text()] if hasattr(model, "to_text") else []
    text += [*note, *_saved(model, save)]
    document = {
        "learner": catalog.entry(learner).name,
        "class": type(model).__name__,
        "task": problem.task,
        "rows": problem.n_rows,
        "size": model.complexity().count,
        "unit": model.complexity().unit,
        "saved": save,
        "intervals": intervals,
    }
    return {"model": document}, "\n".join(text)


def _told_of_several(
    several: tuple[Any, dict[str, Any], list[str]], learner: str, save: str | None
) -> tuple[dict[str, Any], str]:
    """Return what is told of a model of several targets."""
    from branchline import catalog

    model, about, note = several
    size = model.complexity()
    document = {
        "learner": catalog.entry(learner).name,
        "class": type(model).__name__,
        **about,
        "size": size.count,
        "unit": size.unit,
        "saved": save,
    }
    text = [f"{type(model).__name__}: {size}", model.to_text(), *note, *_saved(model, save)]
    return {"model": document}, "\n".join(text)


def _problem(
    path: str,
    target: str,
    task: str | None,
    keep: Sequence[str],
    reading: Reading,
    scan: bool | None = False,
) -> tuple["Problem", list[str]]:
    """Read the rows to learn from; columns that only name rows are set aside, with a warning."""
    from branchline.assess import make_problem
    from branchline.assess.comparing import set_aside_cautions

    table, note = rows_to_learn(path, target, reading, scan)
    problem = make_problem(table, target, task=task, keep=keep)  # type: ignore[arg-type]
    for caution in set_aside_cautions(problem):
        warn(caution)
    return problem, note


def _unfitted(learner: str, tune: str | None, options: dict[str, Any]) -> Any:
    from branchline import catalog

    try:
        if tune is None:
            return catalog.make(learner, **options)
        return catalog.search(learner, space=tune, **options)
    except UnknownParameterError as error:
        raise _no_such_setting(error, learner, options) from None


def _no_such_setting(
    error: UnknownParameterError, learner: str, options: dict[str, Any]
) -> ParameterError:
    """Return the error of --set NAME=VALUE with an unknown name, in its own words."""
    from branchline import catalog

    own = {name: value for name, value in options.items() if name not in {"task", "random_state"}}
    maker = catalog.entry(learner).maker(options["task"])
    known = [name for name in inspect.signature(maker).parameters if name != "random_state"]
    wrong = next((name for name in own if name not in known), "")
    near = get_close_matches(wrong, known, n=1, cutoff=0.5)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    example = f"--set {near[0]}={own[wrong]}" if near else f"branchline learners {learner}"
    return ParameterError(
        f"--set: {learner} has no parameter {wrong!r}.{hint} Its parameters are: "
        f"{', '.join(known)}.",
        code="P301",
        values=[wrong],
        repair=Repair(flag=example),
    )


def _check_places(draw: str | None, save: str | None) -> None:
    """Refuse files that cannot be written, or drawn in, before anything is read."""
    check_drawing(draw, TREES_DRAWN_AS)
    if save is not None:
        check_output("--save", save)


def _saved(model: Any, save: str | None) -> list[str]:
    """Save the model if that is asked for; return a line about it."""
    if save is None:
        return []
    model.save(save)
    return [f"Saved to {save}"]


def grow_tree(  # noqa: PLR0913
    path: str,
    target: str,
    method: str,
    *,
    settings: Sequence[str] | None,
    task: str | None,
    seed: int,
    rules: bool,
    draw: str | None,
    edit: str | None,
    save: str | None,
    keep: Sequence[str],
    intervals: bool,
    reading: Reading,
) -> tuple[dict[str, Any], str]:
    """Grow a tree on a file, edit it, print it, draw it, save it, with its errors if asked."""
    from branchline import fit_intervals

    _check_grows_a_tree(method)
    _check_places(draw, save)
    problem, note = _problem(path, target, task, keep, reading)
    parameters = {"random_state": seed, **parse_assignments(settings)}
    model = _unfitted(method, None, {"task": problem.task, **parameters})
    with fitting():
        model.fit(problem.table, problem.target)
        results: list[Any] = []
        if edit is not None:
            editor = model.edit()
            results = editor.replay(edit)
            model = editor.finish()
        if intervals:
            fit_intervals(model, problem.table, problem.target, random_state=seed)
    text = [str(model.rules()) if rules else model.to_text(), *map(str, results), *note]
    if draw is not None:
        text += save_drawing(model.draw(), draw)
    text += _saved(model, save)
    document = {**model.to_dict(), "drawn": draw, "saved": save, "intervals": intervals}
    if edit is not None:
        document["edits"] = [result.to_dict() for result in results]
    return {"tree": document}, "\n".join(text)


def _check_grows_a_tree(method: str) -> None:
    from branchline import catalog

    if catalog.entry(method).family == "tree":
        return
    trees = ", ".join(entry.name for entry in catalog.find(family="tree"))
    raise ParameterError(
        f"{method!r} does not grow a tree. Those that do: {trees}.",
        code="P106",
        values=[method],
        repair=Repair(flag="--method tree"),
    )


def rows_to_learn(
    path: str, target: str, reading: Reading, scan: bool | None = False
) -> tuple["Table", list[str]]:
    """Return the rows of a file that are not sealed, and a line about the others."""
    from branchline.cli._sealing import without_sealed

    data = open_data(path, scan)
    table = reading.read(data)
    check_column(table, "--target", target)
    kept, note = without_sealed(path, data, reading, table)
    return reading.with_target(kept, target), [note] if note else []
