"""``compare`` and ``report`` as the command line offers them: their options and what each means."""

from typing import Annotated, Any

import typer

from branchline.cli._compare_options import CompareOptions
from branchline.cli._compare_verb import compare_file, report_run
from branchline.cli._complete import learner_names, metric_names
from branchline.cli._emit import EXIT_INTERRUPTED, EXIT_REQUIREMENT, emit, tell
from branchline.cli._options import Data, Jobs, Json, Keep, Positive, Seed, TaskName
from branchline.cli._reading import AS_IT_IS, Reading

__all__ = ["Metric", "Save", "Tune", "compare", "report"]

Tune = Annotated[
    str | None,
    typer.Option("--tune", "--tuning", help="Search each learner's space: small, medium, large."),
]
Save = Annotated[str | None, typer.Option(help="Write the fitted model to this file.")]
Metric = Annotated[
    str | None,
    typer.Option(
        help="What decides: accuracy, auc, log_loss, f1, cost, rmse, mae, r2 …",
        autocompletion=metric_names,
    ),
]


def compare(  # noqa: PLR0913 (an argument for each option of the command line)
    ctx: typer.Context,
    path: Data,
    target: Annotated[
        str | None,
        typer.Option("--target", "-t", help="The column to predict; --resume remembers it."),
    ] = None,
    learners: Annotated[
        str,
        typer.Option(
            help="fast, all, or names: tree,logistic,naive_bayes.", autocompletion=learner_names
        ),
    ] = "fast",
    folds: Annotated[int, typer.Option(min=2, help="Folds of the cross-validation.")] = 10,
    repeats: Annotated[
        int | None,
        typer.Option(
            min=1, help="How often rows are split anew; for bootstrap the samples (default 25)."
        ),
    ] = None,
    test: Annotated[
        str | None,
        typer.Option(help="Test otherwise: hold-out, three-way, leave-one-out, bootstrap."),
    ] = None,
    metric: Metric = None,
    tune: Tune = None,
    threshold: Annotated[
        str | None, typer.Option(help="tuned: choose each threshold inside training sets.")
    ] = None,
    positive: Positive = None,
    costs: Annotated[
        str | None, typer.Option(help='What errors cost: "bad>good=5,good>bad=1".')
    ] = None,
    group: Annotated[
        str | None, typer.Option(help="Keep rows with the same value here in one fold.")
    ] = None,
    time_column: Annotated[
        str | None, typer.Option(help="The past predicts the future, by this column.")
    ] = None,
    task: TaskName = None,
    seed: Seed = 0,
    time: Annotated[
        str | None, typer.Option(help="Time for everything: 60s, 5m. Fits are stopped at its end.")
    ] = None,
    prefer: Annotated[
        str, typer.Option(help="What is recommended: accuracy, balance or simplicity.")
    ] = "balance",
    keep: Keep = None,
    jobs: Jobs = 0,
    seal: Annotated[
        str | None, typer.Option(help="Set rows aside for one final test: 20%.")
    ] = None,
    report: Annotated[
        str | None,
        typer.Option(help="Where the report goes (.html, .md, .json); none writes none."),
    ] = None,
    save: Save = None,
    run: Annotated[
        str | None, typer.Option(help="Keep all results in this file, for report and --resume.")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on where it was stopped, with its options.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be done, and stop.")
    ] = False,
    require: Annotated[
        list[str] | None,
        typer.Option(help='Exit with 5 unless so: "auc.low>=0.75"; may be repeated.'),
    ] = None,
    reading: Reading = AS_IT_IS,
    as_json: Json = False,
) -> None:
    """Compare learners on a table; write a report.

    Scores have intervals, ties are told, and one learner is recommended.

    Example: branchline compare credit.csv --target class

    Example: branchline compare sales.csv -t amount --learners all --time 10m

    Example: branchline compare credit.csv -t class --require "auc.low>=0.75"
    """
    given: dict[str, Any] = {**locals(), "require": require or (), "keep": tuple(keep or ())}
    for name in ("as_json", "ctx"):
        given.pop(name)
    found = compare_file(_options(ctx, given))
    emit(as_json, found.document, found.text)
    if found.trouble is not None:
        raise typer.Exit(tell(found.trouble))
    if found.is_partial:
        raise typer.Exit(EXIT_INTERRUPTED)
    if not found.requirements_hold:
        raise typer.Exit(EXIT_REQUIREMENT)


def _options(ctx: typer.Context, given: dict[str, Any]) -> CompareOptions:
    """Return the options, with those that a stopped run remembers."""
    options = CompareOptions(**{**given, "target": given["target"] or ""})
    if options.resume:
        from branchline.cli._resuming import resumed

        sources = {name: ctx.get_parameter_source(name) for name in ctx.params}
        named = {name for name, source in sources.items() if _is_typed(source)}
        options = resumed(options, named)
    if not options.target:
        raise typer.BadParameter("Name the column to predict: --target COLUMN.")
    return options


def _is_typed(source: Any) -> bool:
    return getattr(source, "name", "") == "COMMANDLINE"


def report(
    run: Annotated[str, typer.Argument(help="The results that a comparison left.")],
    output: Annotated[
        str, typer.Option("--output", "-o", help="The report: .html, .md or .json.")
    ] = "report.html",
    data: Annotated[
        str | None, typer.Option(help="Where the table is now, when it was moved.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Write the report of an earlier comparison.

    Results are left by compare --run FILE, and by Ctrl-C; its options are in them.

    Example: branchline report credit.compare.jsonl --output credit.md
    """
    found = report_run(run, output, data)
    emit(as_json, found.document, found.text)
