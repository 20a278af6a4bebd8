"""``compare`` and ``report`` as the command line offers them.

The flags of ``compare`` are made of the fields of ``CompareCommand``: name, flags, help, default.
"""

import inspect
from collections.abc import Callable
from dataclasses import Field, fields
from typing import Annotated, Any

import typer

from branchline.assess.comparing import option_of
from branchline.cli._compare_options import CompareCommand
from branchline.cli._compare_verb import compare_file, report_run
from branchline.cli._complete import learner_names, metric_names, selector_names
from branchline.cli._emit import EXIT_INTERRUPTED, EXIT_REQUIREMENT, emit, tell
from branchline.cli._options import Data, Json
from branchline.cli._reading import Reading

__all__ = ["compare", "report"]

_COMPLETING: dict[str | None, Callable[[str], list[str]]] = {
    "learners": learner_names,
    "metrics": metric_names,
    "selectors": selector_names,
}


def compare(ctx: typer.Context, reading: Reading, as_json: bool, **given: Any) -> None:
    """Compare learners on a table; write a report.

    Scores have confidence intervals; learners that are statistically tied are
    named; one learner is recommended.

    Example: branchline compare credit.csv --target class

    Example: branchline compare sales.csv -t amount --time-budget 10m

    Example: branchline compare genes.csv -t class --select relief:auto

    Example: branchline compare credit.csv -t class --require "auc.low>=0.75"
    """
    found = compare_file(_command(ctx, {**given, "reading": reading}))
    emit(as_json, found.document, found.text)
    if found.trouble is not None:
        raise typer.Exit(tell(found.trouble))
    if found.is_partial:
        raise typer.Exit(EXIT_INTERRUPTED)
    if not found.requirements_hold:
        raise typer.Exit(EXIT_REQUIREMENT)


def _parameters() -> list[inspect.Parameter]:
    """Return the parameters of ``compare``: the file, an option for each field, and the rest."""
    return [
        _parameter("ctx", typer.Context),
        _parameter("path", Data),
        *(_option(one) for one in _in_order()),
        _parameter("reading", Reading, Reading()),
        _parameter("as_json", Json, False),
    ]


def _in_order() -> list[Field[Any]]:
    """Return the fields that are options, the target first."""
    options = [one for one in fields(CompareCommand) if option_of(one) is not None]
    return sorted(options, key=lambda one: one.name != "target")


def _option(one: Field[Any]) -> inspect.Parameter:
    known = option_of(one)
    assert known is not None
    more: dict[str, Any] = {} if known.least is None else {"min": known.least}
    if known.names is not None:
        more["autocompletion"] = _COMPLETING[known.names]
    annotated: Any = Annotated  # of a type that is known when this runs
    told = annotated[known.kind, typer.Option(*known.flags, help=known.help, **more)]
    return _parameter(one.name, told, one.default if one.default != () else None)


def _parameter(name: str, kind: Any, default: Any = inspect.Parameter.empty) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)


compare.__signature__ = inspect.Signature(_parameters())  # type: ignore[attr-defined]


def _command(ctx: typer.Context, given: dict[str, Any]) -> CompareCommand:
    """Return the options, with those that a stopped run remembers."""
    several = {name: tuple(given[name] or ()) for name in ("keep", "by", "require")}
    command = CompareCommand(**{**given, **several, "target": given["target"] or ""})
    if command.resume:
        from branchline.cli._resuming import resumed

        sources = {name: ctx.get_parameter_source(name) for name in ctx.params}
        named = {name for name, source in sources.items() if _is_typed(source)}
        command = resumed(command, named)
    if not command.target:
        raise typer.BadParameter(
            "Name the column to predict: --target COLUMN (`branchline look` lists the columns)."
        )
    return command


def _is_typed(source: Any) -> bool:
    return getattr(source, "name", "") == "COMMANDLINE"


def report(
    run: Annotated[str, typer.Argument(help="The run file of a comparison.")],
    output: Annotated[
        str, typer.Option("--output", "-o", help="The report: .html, .md or .json.")
    ] = "report.html",
    data: Annotated[
        str | None, typer.Option(help="Where the table is now, if it was moved.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Write the report of an earlier comparison.

    Run files are left by compare --run FILE, and by Ctrl-C; they hold the options.

    Example: branchline report credit.compare.jsonl --output credit.md
    """
    found = report_run(run, output, data)
    emit(as_json, found.document, found.text)
