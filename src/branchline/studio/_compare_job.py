"""A process that carries out one comparison of the studio, and tells of it line by line.

1. The table, the target and the options come from the documents of the workspace.
2. After a result, at most a tenth of the time goes into showing what is known so far.
3. SIGINT (from "Stop") ends it: what is done is kept, in the run file and as a partial result.
4. At the end the report is written, and the recommended model is fitted and kept.
"""

import os
import signal
import sys
import time
import warnings
from dataclasses import replace
from typing import Any

from branchline.assess import Comparison
from branchline.assess.comparing import (
    CompareOptions,
    carry_out,
    comparison_text,
    settled,
    stored_comparison,
)
from branchline.errors import BranchlineError
from branchline.report import write_report
from branchline.studio._worker import end_with_parent, limit_memory, safe_error, write_line
from branchline.studio._workspace import Workspace
from branchline.studio.work import Desk
from branchline.studio.work._model_files import keep_model
from branchline.studio.work._scripts import compare_script
from branchline.studio.work._sources import table_of, target_of
from branchline.studio.work._tree_state import known_rows
from branchline.studio.work.tables import repairs_in

__all__ = ["main", "result_of"]

_SHARE_OF_SHOWING = 0.1


class _Job:
    """One comparison, from its document to its last line."""

    def __init__(self, workspace: Workspace, id: str, output: Any) -> None:
        self.workspace, self.id, self.output = workspace, id, output
        self.document = workspace.read("runs", id)
        self.run_file = workspace.place("runs", id, ".jsonl")
        self.begun = time.monotonic()
        self.shown_until, self.showing = 0.0, 0.0
        self.is_stopped = False

    def tell(self, event: str, **told: Any) -> None:
        """Write a line that the server passes on."""
        write_line(self.output, {"event": event, **told})

    def run(self) -> None:
        """Carry the comparison out."""
        source, table = table_of(Desk(self.workspace), self.document["table"])
        self.target = target_of(source)
        rows, has_unknown = known_rows(table, self.target)
        self.script = compare_script(source, self.document["options"], has_unknown)
        options = CompareOptions(**_as_given(self.document["options"]))
        problem, plan, noticed = settled(options, rows, self.target)
        self.source, self.problem, self.plan, self.noticed = source, problem, plan, noticed
        classes = 2 if problem.classes is None else len(problem.classes)
        self.tell(
            "plan",
            text=plan.summary(problem.n_rows, problem.table.n_columns, classes, None),
            script=self.script,
        )
        found = self._compared()
        told = result_of(found)
        if found.labels:
            told["report"], told["model"] = self._kept(found)
        self.tell("stopped" if self.is_stopped else "finished", result=told)

    def _compared(self) -> Comparison:
        n_jobs = max(1, (os.cpu_count() or 2) - 1)
        resume = self.run_file.exists()
        given: dict[str, Any] = {"n_jobs": n_jobs, "run_file": self.run_file, "resume": resume}
        try:
            return carry_out(
                self.plan, self.problem, noticed=self.noticed, on_result=self._on_result, **given
            )
        except KeyboardInterrupt:
            self.is_stopped = True
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            found = stored_comparison(self.run_file, self.plan, self.problem)
            return replace(found, noticed=self.noticed)

    def _on_result(self, result: Any, done: int, total: int) -> None:
        self.tell("progress", done=done, total=total, learner=result.learner)
        now = time.monotonic()
        if self.showing > _SHARE_OF_SHOWING * (now - self.begun) or done == total:
            return
        found = stored_comparison(self.run_file, self.plan, self.problem)
        if len(found.labels) > 1:
            self.tell("partial", svg=found.draw().to_svg(760), standings=_standings(found))
        self.showing += time.monotonic() - now

    def _kept(self, found: Comparison) -> tuple[bool, str | None]:
        """Write the report and keep the model; whether there is a report, and the model's id."""
        self.tell("step", text="Fitting the recommended model and writing the report …")
        try:
            model = found.fit()
            path = self.workspace.place("runs", self.id, ".html")
            write_report(found, path, model=model, command=self.script["command"].split("\n")[-1])
            name = f"{found.recommendation.learner}-{self.source['name'].split('.')[0]}"
            inputs = self.problem.table
            kept = keep_model(self.workspace, model, name, inputs, self.problem.target_name)
        except BranchlineError as error:
            self.tell("step", text=safe_error(error, self.workspace)["message"])
            return self.workspace.place("runs", self.id, ".html").exists(), None
        return True, kept["id"]


def _as_given(options: dict[str, Any]) -> dict[str, Any]:
    """Return options as ``compare`` takes them: a list of one metric is that metric."""
    return dict(options)


def result_of(found: Comparison) -> dict[str, Any]:
    """Return what the page shows of a comparison."""
    if not found.labels:
        return {"standings": [], "advice": [], "about": [], "svg": None, "text": "",
                "warnings": [], "failures": found.failures, "is_complete": False}  # fmt: skip
    text = comparison_text(found)
    advice = found.recommendation
    return {
        "standings": _standings(found),
        "recommended": advice.learner,
        "tied": list(advice.tied),
        "advice": list(text.advice),
        "about": list(text.about),
        "more": list(text.more),
        "text": str(text),
        "svg": found.draw().to_svg(760),
        "failures": found.failures,
        "warnings": [_with_repairs(warning.to_dict()) for warning in found.warnings],
        "set_aside": [f"{one.name}: {one.reason}" for one in found.problem.set_aside],
        "metric": found.plan.metric,
        "seconds": found.seconds,
        "is_complete": found.is_complete,
        "is_time_over": found.is_time_over,
        "report": False,
        "model": None,
    }


def _with_repairs(warning: dict[str, Any]) -> dict[str, Any]:
    """Return a warning with what the page can do about it: changes of the table."""
    flag = (warning.get("repair") or {}).get("flag") or ""
    return {**warning, "repairs": repairs_in("", "", flag)}


def _standings(found: Comparison) -> list[dict[str, Any]]:
    """Return a line for each learner, the best first."""
    chosen = found.recommendation.learner
    return [
        {
            "learner": one.learner,
            "score": one.score.estimate,
            "low": one.score.low,
            "high": one.score.high,
            "group": one.group,
            "is_tied": one.is_tied,
            "folds": one.n_splits,
            "size": one.size,
            "unit": one.unit,
            "fit_seconds": one.fit_seconds,
            "is_recommended": one.learner == chosen,
        }
        for one in found.standings
    ]


def main() -> None:
    """Carry out the comparison that the arguments name."""
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    limit_memory()
    end_with_parent()
    os.nice(5)
    workspace = Workspace(sys.argv[1])
    job = _Job(workspace, sys.argv[2], output)
    warnings.simplefilter("ignore")
    try:
        job.run()
    except BranchlineError as error:
        job.tell("failed", error=safe_error(error, workspace))
    except KeyboardInterrupt:
        job.tell("stopped", result=None)
    except MemoryError:
        job.tell("failed", error={"code": "D167", "message": "There is not enough memory."})


if __name__ == "__main__":
    main()
