"""``stream``: learners on rows as they come, each row predicted before it is learned from.

1. CSV and Parquet are read part by part, so that memory stays bounded; other files are read whole.
2. Each learner goes over the rows once. The most accurate one comes last, with its diary.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from branchline.cli._drawing import Draw, check_drawing, save_drawing
from branchline.cli._emit import emit
from branchline.cli._options import Data, Json, Target, check_choices
from branchline.cli._reading import AS_IT_IS, Reading, check_column, open_data, with_reading
from branchline.errors import ParameterError

if TYPE_CHECKING:
    from branchline.stream import StreamResult

__all__ = ["register"]

_CLASSES = {
    "tree": "HoeffdingTreeClassifier",
    "adaptive_tree": "AdaptiveHoeffdingTreeClassifier",
    "adaptive_forest": "AdaptiveForestClassifier",
    "bagging": "OnlineBaggingClassifier",
    "boosting": "OnlineBoostingClassifier",
}
_USUAL = ("tree", "adaptive_tree", "adaptive_forest")
_TOO_LARGE = "P853"  # the first leaves take more than max_memory
_IN_PARTS = (".csv", ".tsv", ".parquet", ".csv.gz", ".tsv.gz")


def stream(
    path: Data,
    target: Target,
    algorithm: Annotated[
        list[str] | None,
        typer.Option(
            help="tree, adaptive_tree, adaptive_forest, bagging or boosting; may be repeated. "
            "Default: the first three."
        ),
    ] = None,
    chunk_rows: Annotated[
        int, typer.Option(min=1, help="How many rows are in memory at a time.")
    ] = 10_000,
    draw: Draw = None,
    reading: Reading = AS_IT_IS,
    as_json: Json = False,
) -> None:
    """Learn from rows as they come; show when they drift.

    Rows stand in the order of time. CSV and Parquet may be larger than the memory.

    Example: branchline stream clicks.csv -t clicked

    Example: branchline stream sensors.csv -t fault --draw curve.svg
    """
    from branchline.stream import draw_results

    names = tuple(algorithm or _USUAL)
    for name in names:
        check_choices({"--algorithm": (name, tuple(_CLASSES))})
    check_drawing(draw)
    rows = _rows(path, target, chunk_rows, reading)
    results, left_out = _results(names, rows, target, are_chosen=bool(algorithm))
    best = max(results, key=lambda one: one.accuracy.estimate)
    lines = [_line(one) for one in results] if len(results) > 1 or left_out else []
    lines += left_out
    text = "\n".join([*lines, *([""] if lines else []), best.to_text()])
    drawn = save_drawing(draw_results(results), draw)
    found = [one.to_dict() for one in results]
    document = {"stream": {"results": found, "left_out": left_out, "drawn": draw}}
    emit(as_json, document, "\n".join([text, *drawn]))


def _rows(path: str, target: str, chunk_rows: int, reading: Reading) -> Any:
    """Return a stream of a file, or its table where the file cannot be read in parts."""
    from branchline.stream import read_stream

    if reading == AS_IT_IS and path.lower().endswith(_IN_PARTS) and Path(path).is_file():
        found = read_stream(path, chunk_rows=chunk_rows)
        for table in found:
            check_column(table, "--target", target)
            break
        return found
    table = reading.read(open_data(path))
    check_column(table, "--target", target)
    return table


def _results(
    names: tuple[str, ...], rows: Any, target: str, *, are_chosen: bool
) -> tuple[list["StreamResult"], list[str]]:
    """Return the results of learners, and which ones were left out: too large for their memory."""
    results: list[StreamResult] = []
    left_out: list[str] = []
    for name in names:
        try:
            results.append(_result(name, rows, target))
        except ParameterError as error:
            if are_chosen or error.code != _TOO_LARGE or name == names[0]:
                raise
            left_out.append(f"{_CLASSES[name]} is left out: {error.message}")
    return results, left_out


def _result(name: str, rows: Any, target: str) -> "StreamResult":
    import branchline.stream as room

    model = getattr(room, _CLASSES[name])()
    return room.evaluate_stream(model, rows, target=target)


def _line(result: "StreamResult") -> str:
    estimate, between = result.accuracy.texts()
    return f"{result.learner:<33}{estimate} {between}"


def register(app: typer.Typer) -> None:
    """Add the verb to the application."""
    app.command()(with_reading(stream, target=False))
