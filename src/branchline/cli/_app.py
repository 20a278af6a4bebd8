"""The verbs, and how errors leave: people's text on stderr, a document on stdout, an exit code.

Exit codes: 0 ok, 1 unexpected, 2 usage, 3 a problem with the data or a file, 4 with the fit, 5 a
requirement not met, 6 test set opened before, 130 interrupted.
"""

import io
import shutil
import signal
import sys
import warnings
from contextlib import suppress
from typing import Annotated, Any

import typer

from branchline import __version__
from branchline.cli import _verbs
from branchline.cli._commands import register
from branchline.cli._emit import EXIT_INTERRUPTED, emit, exit_code_of, print_document
from branchline.cli._options import Json
from branchline.cli._reproduce_verb import register as register_reproduce
from branchline.errors import BranchlineError

__all__ = ["app", "run"]

app = typer.Typer(
    name="branchline",
    help="Learning from tables: readable models, honest error bars.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def run() -> None:
    """Run the application; an error of ours becomes its message and exit code 3."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # an old code page must not end in a traceback
    warnings.showwarning = _show_warning
    was_pressed = _watch_ctrl_c()
    try:
        app()
    except BranchlineError as error:
        if "--json" in sys.argv:
            print_document({"error": error.to_dict()})
        print(error, file=sys.stderr)
        sys.exit(exit_code_of(error.code))
    except SystemExit as end:
        # The library below says 1 for Ctrl-C, as for any failure.
        if was_pressed and end.code == 1:
            sys.exit(EXIT_INTERRUPTED)
        raise


def _watch_ctrl_c() -> list[int]:
    """Return a list that is filled when Ctrl-C is pressed."""
    pressed: list[int] = []

    def press(number: int, frame: Any) -> None:
        pressed.append(number)
        signal.default_int_handler(number, frame)

    with suppress(ValueError):  # another thread than the main one cannot listen
        signal.signal(signal.SIGINT, press)
    return pressed


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    print(f"warning: {message}", file=sys.stderr)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"branchline {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Learn from tables: readable models, honest error bars."""


@app.command()
def look(
    path: Annotated[str, typer.Argument(help="A table: CSV, Parquet, Arrow, ARFF, C4.5, libsvm.")],
    kind: Annotated[
        list[str] | None, typer.Option(help="Use another kind: --kind zip=category.")
    ] = None,
    missing: Annotated[
        list[str] | None,
        typer.Option(help="A text that means missing, instead of NA, ? and so on."),
    ] = None,
    delimiter: Annotated[str | None, typer.Option(help="What parts the cells of a text.")] = None,
    header: Annotated[
        bool | None, typer.Option(help="Whether the first line holds the names.")
    ] = None,
    encoding: Annotated[str | None, typer.Option(help="The encoding of a text: utf-8.")] = None,
    format: Annotated[str | None, typer.Option(help="The format, when the name misleads.")] = None,
    as_json: Json = False,
) -> None:
    """Describe a table: kinds, missing cells, distinct values, suspicious columns.

    Example: branchline look credit.csv
    """
    options = {"missing": missing, "delimiter": delimiter, "header": header}
    seen = _verbs.look(path, kind or [], **options, encoding=encoding, format=format)
    width = max(60, shutil.get_terminal_size((100, 24)).columns)
    emit(as_json, {"look": seen.to_dict()}, seen.to_text(width=min(width, 140)))


@app.command()
def datasets(
    name: Annotated[str | None, typer.Argument(help="A data set; none lists all.")] = None,
    save: Annotated[
        str | None, typer.Option(help="Write the data set to this file: CSV or ARFF.")
    ] = None,
    as_json: Json = False,
) -> None:
    """List the bundled data sets, describe one, or write it to a file.

    Example: branchline datasets german-credit --save credit.csv
    """
    document, text = _verbs.datasets(name, save)
    emit(as_json, document, text)


@app.command()
def learners(
    name: Annotated[str | None, typer.Argument(help="A learner; none lists all.")] = None,
    task: Annotated[
        str | None, typer.Option(help="Only those for classification or regression.")
    ] = None,
    as_json: Json = False,
) -> None:
    """List the learners, or describe one: what it is, what it handles, what it costs.

    Example: branchline learners naive-bayes
    """
    document, text = _verbs.learners(name, task)
    emit(as_json, document, text)


@app.command()
def errors(
    code: Annotated[str | None, typer.Argument(help="A code such as D011; none lists all.")] = None,
    as_json: Json = False,
) -> None:
    """Explain an error code.

    Example: branchline errors D011
    """
    document, text = _verbs.errors(code)
    emit(as_json, document, text)


register(app)
register_reproduce(app)
