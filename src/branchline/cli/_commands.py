"""The verbs that fit models, as the command line offers them; each is a thin call of a function."""

from typing import Annotated, Any

import typer

from branchline.cli import _model_verbs
from branchline.cli._compare_options import CompareOptions
from branchline.cli._compare_verb import compare_file, report_run
from branchline.cli._complete import learner_names, metric_names
from branchline.cli._emit import EXIT_INTERRUPTED, EXIT_REQUIREMENT, emit
from branchline.cli._options import Data, Jobs, Json, Positive, Seed, Target, TaskName
from branchline.cli._reading import AS_IT_IS, Reading, with_reading

__all__ = ["register"]

Model = Annotated[str, typer.Argument(help="A model saved by fit, tree or compare --save.")]
Settings = Annotated[
    list[str] | None, typer.Option("--set", help="A parameter: --set max_depth=3; may be repeated.")
]
Tune = Annotated[
    str | None,
    typer.Option("--tune", "--tuning", help="Search each learner's space: small, medium, large."),
]
Save = Annotated[str | None, typer.Option(help="Write the fitted model to this file.")]
Metric = Annotated[
    str | None,
    typer.Option(
        help="What decides: accuracy, auc, log-loss, f1, cost, rmse, mae, r2 …",
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
            help="fast, all, or names: tree,logistic,naive-bayes.", autocompletion=learner_names
        ),
    ] = "fast",
    folds: Annotated[int, typer.Option(min=2, help="Folds of the cross-validation.")] = 10,
    repeats: Annotated[int, typer.Option(min=1, help="How often rows are dealt anew.")] = 1,
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
        str | None, typer.Option(help="Rows with equal values here are never parted.")
    ] = None,
    time_column: Annotated[
        str | None, typer.Option(help="The past predicts the future, by this column.")
    ] = None,
    task: TaskName = None,
    seed: Seed = 0,
    time: Annotated[
        str | None, typer.Option(help="Time for everything, shared equally: 60s, 5m.")
    ] = None,
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

    Scores have intervals, ties are told, and the simplest good learner is advised.

    Example: branchline compare credit.csv --target class

    Example: branchline compare sales.csv -t amount --learners all --time 10m

    Example: branchline compare credit.csv -t class --require "auc.low>=0.75"
    """
    given: dict[str, Any] = {**locals(), "require": require or ()}
    for name in ("as_json", "ctx"):
        given.pop(name)
    found = compare_file(_options(ctx, given))
    emit(as_json, found.document, found.text)
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


def fit(  # noqa: PLR0913
    path: Data,
    target: Target,
    learner: Annotated[
        str, typer.Option(help="A name of `branchline learners`.", autocompletion=learner_names)
    ] = "tree",
    save: Save = None,
    settings: Settings = None,
    tune: Tune = None,
    task: TaskName = None,
    seed: Seed = 0,
    reading: Reading = AS_IT_IS,
    as_json: Json = False,
) -> None:
    """Fit one learner on all rows of a table.

    Example: branchline fit credit.csv -t class --save credit.branchline
    """
    given: dict[str, Any] = {"settings": settings, "task": task, "tune": tune, "seed": seed}
    document, text = _model_verbs.fit(path, target, learner, save, reading=reading, **given)
    emit(as_json, document, text)


def predict(
    model: Model,
    path: Data,
    output: Annotated[
        str | None, typer.Option("--output", "-o", help="Write .csv, .csv.gz, .parquet or .json.")
    ] = None,
    probabilities: Annotated[
        bool, typer.Option("--probabilities", help="Add the probability of each class.")
    ] = False,
    keep: Annotated[
        list[str] | None, typer.Option(help="Copy this column of the table beside.")
    ] = None,
    reading: Reading = AS_IT_IS,
    as_json: Json = False,
) -> None:
    """Predict the rows of a table with a saved model.

    Example: branchline predict credit.branchline new.csv -o predictions.csv

    Example: gunzip -c new.csv.gz | branchline predict credit.branchline -
    """
    document, text = _model_verbs.predict(
        model, path, output, chances=probabilities, keep=keep or (), reading=reading
    )
    if as_json and output is None:
        text = f"{document['predictions']['rows']} predictions"
    emit(as_json, document, text)


def explain(
    model: Model,
    path: Data,
    row: Annotated[int, typer.Option(help="Which row, counted from 0.")] = 0,
    reading: Reading = AS_IT_IS,
    as_json: Json = False,
) -> None:
    """Say why a model predicts a row as it does.

    Example: branchline explain credit.branchline new.csv --row 3
    """
    document, text = _model_verbs.explain(model, path, row, reading)
    emit(as_json, document, text)


def tree(  # noqa: PLR0913
    path: Data,
    target: Target,
    method: Annotated[str, typer.Option(help="tree, c45, cart, id3, one-rule or stump.")] = "tree",
    settings: Settings = None,
    rules: Annotated[bool, typer.Option("--rules", help="Print rules instead.")] = False,
    draw: Annotated[str | None, typer.Option(help="Draw it into this SVG file.")] = None,
    save: Save = None,
    task: TaskName = None,
    seed: Seed = 0,
    reading: Reading = AS_IT_IS,
    as_json: Json = False,
) -> None:
    """Grow a decision tree, print it, draw it.

    Example: branchline tree credit.csv --target class --draw credit.svg

    Example: branchline tree credit.csv -t class --method c45 --rules
    """
    given: dict[str, Any] = {"settings": settings, "task": task, "seed": seed}
    document, text = _model_verbs.grow_tree(
        path,
        target,
        method,
        rules=rules,
        draw=draw,
        save=save,
        reading=reading,
        **given,
    )
    emit(as_json, document, text)


def open_test(  # noqa: PLR0913
    model: Model,
    path: Data,
    target: Target,
    record: Annotated[
        str | None, typer.Option(help="The record of the seal; by default beside you.")
    ] = None,
    metric: Metric = None,
    positive: Positive = None,
    again: Annotated[
        bool, typer.Option("--again", help="Look once more; it is written down.")
    ] = False,
    reading: Reading = AS_IT_IS,
    as_json: Json = False,
) -> None:
    """Assess a final model on sealed rows: once.

    These are the rows that compare --seal set aside; every look is written down.

    Example: branchline open-test credit.branchline credit.csv --target class
    """
    given: dict[str, Any] = {"record": record, "metric": metric, "positive": positive}
    document, text = _model_verbs.open_test(
        model, path, target, again=again, reading=reading, **given
    )
    emit(as_json, document, text)


def register(app: typer.Typer) -> None:
    """Add the verbs to the application."""
    app.command()(with_reading(compare))
    app.command()(report)
    app.command()(with_reading(fit))
    app.command()(with_reading(predict, target=False))
    app.command()(with_reading(explain, target=False))
    app.command()(with_reading(tree))
    app.command("open-test")(with_reading(open_test))
