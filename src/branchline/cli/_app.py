"""The verbs, and how errors leave: people's text on stderr, a document on stdout, an exit code.

Exit codes: 0 ok, 1 unexpected, 2 usage, 3 a problem with the data or a file, 4 with the fit, 5 a
requirement not met, 6 test set opened before, 130 interrupted.
"""

import io
import signal
import sys
import traceback
import warnings
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any

import typer

from branchline import __version__
from branchline.cli import _verbs
from branchline.cli._axes_verb import register as register_axes
from branchline.cli._commands import register
from branchline.cli._complete import dataset_names, error_codes, learner_names
from branchline.cli._drawing_verbs import register as register_drawing
from branchline.cli._emit import (
    EXIT_INTERRUPTED,
    EXIT_UNEXPECTED,
    EXIT_USAGE,
    begin_output,
    can_print,
    emit,
    end_interrupted,
    print_document,
    tell,
    text_width,
)
from branchline.cli._groups_verb import register as register_groups
from branchline.cli._label_verb import register as register_label
from branchline.cli._metavars import Verbs
from branchline.cli._network_verb import register as register_network
from branchline.cli._old_flags import refuse_old_flags
from branchline.cli._options import Data, Json
from branchline.cli._reading import AS_IT_IS, Reading, check_column, open_data, with_reading
from branchline.cli._replay_verb import register as register_replay
from branchline.cli._reproduce_verb import register as register_reproduce
from branchline.cli._rules_verb import register as register_rules
from branchline.cli._select_verb import register as register_select
from branchline.cli._stream_verb import register as register_stream
from branchline.cli._studio_verb import register as register_studio
from branchline.cli._theory_verbs import register as register_theory
from branchline.errors import BranchlineError, BranchlineWarning, DataError

if TYPE_CHECKING:
    from branchline.table import Table

__all__ = ["app", "run", "run_arguments"]

_MANY_COLUMNS = 20  # fewer do not show how they were chosen

app = typer.Typer(
    name="branchline",
    cls=Verbs,
    help="Learning from tables: readable models, honest error bars.\n\n"
    "Example: branchline compare credit.csv --target class",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def run(began: float | None = None) -> None:
    """Run the application with the arguments of the command line, and exit."""
    signal.signal(signal.SIGTERM, _end_as_by_ctrl_c)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # an old code page must not end in a traceback
    sys.exit(run_arguments(sys.argv[1:], began))


def _end_as_by_ctrl_c(number: int, frame: Any) -> None:
    """Let SIGTERM end everything in the way Ctrl-C does: what is done is kept and told."""
    raise KeyboardInterrupt


def run_arguments(arguments: Sequence[str], began: float | None = None) -> int:
    """Run the application and return its exit code; every error is told, none is raised.

    ``began`` is when the command was given (``time.monotonic``), from which budgets are counted.
    """
    as_json = "--json" in arguments
    begin_output(began)
    shown, warnings.showwarning = warnings.showwarning, _show_warning
    try:
        refuse_old_flags(arguments)
        code = _command()(args=list(arguments), prog_name="branchline", standalone_mode=False)
        if code == EXIT_INTERRUPTED:
            return end_interrupted(as_json)
        return code if isinstance(code, int) else 0
    except BranchlineError as error:
        return _tell(error, as_json)
    except (KeyboardInterrupt, typer.Abort):
        return end_interrupted(as_json)
    except OSError as error:
        place = error.filename or "a file"
        why = f"{place}: this cannot be read or written ({error.strerror or error})."
        return _tell(DataError(why, code="F023"), as_json)
    except Exception as error:  # whatever it is, a program gets its document
        return _tell_other(error, as_json)
    finally:
        warnings.showwarning = shown


@cache
def _command() -> Any:
    """Return the application as a command, which takes long to put together."""
    return typer.main.get_command(app)


def _tell(error: BranchlineError, as_json: bool) -> int:
    """Say what is wrong, and return the exit code."""
    if as_json:
        print_document({"error": error.to_dict()})
    return tell(error)


def _tell_other(error: Exception, as_json: bool) -> int:
    """Say what is wrong with how the command was written, or that a fault of ours was met."""
    is_usage = hasattr(error, "show") and hasattr(error, "format_message")
    message = f"{type(error).__name__}: {error}"
    if is_usage:
        message = error.format_message()  # type: ignore[attr-defined]
    if as_json:
        kind = "UsageError" if is_usage else type(error).__name__
        print_document({"error": {"code": None, "type": kind, "message": message}})
    if is_usage:
        error.show()  # type: ignore[attr-defined]
        return EXIT_USAGE
    traceback.print_exception(error)
    print("This is a fault of branchline, not of yours: please report it.", file=sys.stderr)
    return EXIT_UNEXPECTED


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    tell(message if isinstance(message, BranchlineWarning) else BranchlineWarning(str(message)))


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


def look(
    path: Data,
    target: Annotated[
        str | None, typer.Option("--target", "-t", help="The column to predict, if there is one.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="List all columns, however many.")] = False,
    reading: Reading = AS_IT_IS,
    as_json: Json = False,
) -> None:
    """Describe a table.

    Its columns with kinds, missing cells and distinct values, and what is suspicious.

    Example: branchline look credit.csv

    Example: branchline look sales.xlsx --sheet May --target amount
    """
    table = reading.read(open_data(path), ask=False)
    if target is not None:
        check_column(table, "--target", target)
    seen = table.look(target)
    if target is not None and table.n_columns > _MANY_COLUMNS:
        _tell_preselection(table, target)
    most = None if every else 60
    plain = not can_print("▁█")
    text = seen.to_text(text_width(), most, command_line=True, ascii_only=plain)
    emit(as_json, {"look": seen.to_dict()}, text)


def _tell_preselection(table: "Table", target: str) -> None:
    """Warn of columns that look as if they had been chosen with the target."""
    from branchline.assess import make_problem
    from branchline.assess.comparing import preselection_warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BranchlineWarning)  # of the target, told by compare
        try:
            told = preselection_warnings(make_problem(table, target))
        except BranchlineError:  # a target that nothing can be learned for
            return
    for warning in told:
        tell(warning)


app.command()(with_reading(look, target=False))


@app.command()
def datasets(
    name: Annotated[
        str | None, typer.Argument(help="A data set; none lists all.", autocompletion=dataset_names)
    ] = None,
    save: Annotated[
        str | None, typer.Option(help="Write the data set to this file: CSV or ARFF.")
    ] = None,
    as_json: Json = False,
) -> None:
    """List, describe or write bundled data sets.

    Example: branchline datasets german-credit --save credit.csv
    """
    document, text = _verbs.datasets(name, save)
    emit(as_json, document, text)


@app.command()
def learners(
    name: Annotated[
        str | None, typer.Argument(help="A learner; none lists all.", autocompletion=learner_names)
    ] = None,
    task: Annotated[
        str | None, typer.Option(help="Only those for classification or regression.")
    ] = None,
    as_json: Json = False,
) -> None:
    """List the learners, or describe one.

    What it is, what it handles, what it costs.

    Example: branchline learners naive_bayes
    """
    document, text = _verbs.learners(name, task)
    emit(as_json, document, text)


@app.command()
def errors(
    code: Annotated[
        str | None,
        typer.Argument(help="A code such as D011; none lists all.", autocompletion=error_codes),
    ] = None,
    as_json: Json = False,
) -> None:
    """Explain an error code.

    Example: branchline errors D011
    """
    document, text = _verbs.errors(code)
    emit(as_json, document, text)


register(app)
register_select(app)
register_reproduce(app)
register_theory(app)
register_rules(app)
register_axes(app)
register_groups(app)
register_label(app)
register_network(app)
register_stream(app)
register_replay(app)
register_drawing(app)
register_studio(app)
