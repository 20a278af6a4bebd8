"""The same comparison as a command and as Python."""

import shlex
from typing import TYPE_CHECKING, Any

from branchline.assess import Resampling

if TYPE_CHECKING:
    from branchline.assess import Comparison, Plan

__all__ = ["command_words", "python_words"]

_FILE = "your-file.csv"


def command_words(comparison: "Comparison") -> str:
    """Return the command that does the same, as far as it has options for it."""
    plan, resampling = comparison.plan, comparison.plan.resampling
    flags = {
        "target": comparison.problem.target_name,
        "task": plan.task,
        "learners": ",".join(learner.name or learner.label for learner in plan.learners),
        "folds": str(resampling.n_folds),
        "repeats": None if resampling.n_repeats == 1 else str(resampling.n_repeats),
        "metric": plan.metric,
        "positive": None if plan.positive is None else str(plan.positive),
        "tuning": plan.tuning,
        "select": plan.select if isinstance(plan.select, str) else None,
        "time-budget": None if plan.time_budget is None else f"{plan.time_budget:g}s",
        "seed": str(plan.seed),
    }
    flags["prefer"] = None if plan.prefer == "balance" else plan.prefer
    parts = [f"--{name} {shlex.quote(value)}" for name, value in flags.items() if value is not None]
    parts += [f"--keep {shlex.quote(name)}" for name in comparison.problem.kept]
    parts += [f"--by {shlex.quote(name)}" for name in plan.by]
    return " \\\n    ".join([f"branchline compare {_FILE}", *parts])


def python_words(comparison: "Comparison", reading: str | None = None) -> str:
    """Return the Python that does the same; ``reading`` are the lines that read the table."""
    plan, problem = comparison.plan, comparison.problem
    imports = ["from branchline import read_table", "from branchline.assess import compare"]
    imports += _imports(plan)
    if plan.resampling != Resampling("folds", plan.resampling.n_folds, plan.resampling.n_repeats):
        imports[1] = "from branchline.assess import Resampling, compare"
    arguments = ["table", repr(problem.target_name), f"task={plan.task!r}", _learners(plan)]
    arguments += [f"{name}={value}" for name, value in _choices(comparison).items()]
    inside = "\n".join(f"    {argument}," for argument in arguments)
    lines = [
        *imports,
        "",
        f"{reading or f'table = read_table({_FILE!r})'}  # fingerprint {problem.fingerprint}",
        f"found = compare(\n{inside}\n)",
        "print(found)",
        "model = found.fit()",
    ]
    return "\n".join(lines)


def _choices(comparison: "Comparison") -> dict[str, str]:
    """Return the arguments that differ from what compare does by itself."""
    plan, problem = comparison.plan, comparison.problem
    found: dict[str, str] = {}
    plain = Resampling("folds", plan.resampling.n_folds, plan.resampling.n_repeats)
    if plan.resampling != plain:
        found["resampling"] = repr(plan.resampling)
    else:
        found["n_folds"] = str(plan.resampling.n_folds)
        if plan.resampling.n_repeats != 1:
            found["n_repeats"] = str(plan.resampling.n_repeats)
    for name, value in (("group", problem.groups), ("time", problem.times)):
        if value is not None:
            column = getattr(problem, f"{name}_name", None) or f"the column of {name}s"
            found["time_column" if name == "time" else name] = repr(column)
    found["metric"] = repr(list(plan.metrics))
    found |= {"keep": repr(list(problem.kept))} if problem.kept else {}
    found |= {"by": repr(list(plan.by))} if plan.by else {}
    found |= {"prefer": repr(plan.prefer)} if plan.prefer != "balance" else {}
    if plan.tuning is not None:
        found |= {"tuning": repr(plan.tuning), "n_inner_folds": str(plan.n_inner_folds)}
    if plan.threshold is not None:
        found |= {"threshold": repr(plan.threshold), "n_inner_folds": str(plan.n_inner_folds)}
    if plan.select is not None:
        found["select"] = repr(plan.select)
    for name in ("positive", "costs", "time_budget"):
        if getattr(plan, name) is not None:
            found[name] = _plain(getattr(plan, name))
    return {**found, "random_state": str(plan.seed)}


def _plain(value: Any) -> str:
    """Return a value as Python; NumPy's numbers as plain ones."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, dict):
        pairs = (f"{_plain(key)}: {_plain(cost)}" for key, cost in value.items())
        return "{" + ", ".join(pairs) + "}"
    if isinstance(value, tuple):
        return f"({', '.join(_plain(part) for part in value)}{',' * (len(value) == 1)})"
    return repr(value)


def _learners(plan: "Plan") -> str:
    chosen = plan.learners
    if all(one.estimator is None and one.label == one.name for one in chosen):
        return f"learners={','.join(str(one.name) for one in chosen)!r}"
    pairs = [
        f"{one.label!r}: {repr(one.name) if one.estimator is None else one.estimator!r}"
        for one in chosen
    ]
    return "learners={" + ", ".join(pairs) + "}"


def _imports(plan: "Plan") -> list[str]:
    """Return the imports of the user's estimators, up to the first module with an underscore."""
    found = set()
    own = [learner.estimator for learner in plan.learners if learner.estimator is not None]
    own += [] if plan.select is None or isinstance(plan.select, str) else [plan.select]
    for one in own:
        kind = type(one)
        rooms = kind.__module__.split(".")
        hidden = next((at for at, room in enumerate(rooms) if room.startswith("_")), len(rooms))
        found.add(f"from {'.'.join(rooms[:hidden]) or kind.__module__} import {kind.__name__}")
    return sorted(found)
