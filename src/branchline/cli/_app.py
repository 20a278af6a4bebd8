"""The verbs, and how errors leave: people's text on stderr, a document on stdout, an exit code.

Exit codes: 0 ok, 1 unexpected, 2 usage, 3 a problem with the data or a file.
"""

import io
import json
import shutil
import sys
import warnings
from typing import Annotated, Any

import typer

from branchline import __version__
from branchline.cli import _verbs
from branchline.errors import BranchlineError

__all__ = ["app", "run"]

EXIT_DATA = 3

app = typer.Typer(
    name="branchline",
    help="Learning from tables: readable models, honest error bars.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout.")]


def run() -> None:
    """Run the application; an error of ours becomes its message and exit code 3."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # an old code page must not end in a traceback
    warnings.showwarning = _show_warning
    try:
        app()
    except BranchlineError as error:
        if "--json" in sys.argv:
            _print_document({"error": error.to_dict()})
        print(error, file=sys.stderr)
        sys.exit(EXIT_DATA)


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
    _emit(as_json, {"look": seen.to_dict()}, seen.to_text(width=min(width, 140)))


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
    _emit(as_json, document, text)


@app.command()
def errors(
    code: Annotated[str | None, typer.Argument(help="A code such as D011; none lists all.")] = None,
    as_json: Json = False,
) -> None:
    """Explain an error code.

    Example: branchline errors D011
    """
    document, text = _verbs.errors(code)
    _emit(as_json, document, text)


def _emit(as_json: bool, document: dict[str, Any], text: str) -> None:
    if as_json:
        _print_document(document)
    else:
        print(text)


def _print_document(document: dict[str, Any]) -> None:
    print(json.dumps({"schema": 1, "branchline": __version__, **document}, ensure_ascii=False))
