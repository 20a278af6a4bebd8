"""From a file to a file of predictions, part by part, in bounded memory.

1. The rows are scanned with the kinds that the model was fitted on (``scan_table``), so what a cell
   is does not depend on the part that it is in.
2. Each part is predicted and written; the file of predictions appears when the last one is.
"""

import warnings
from collections.abc import Callable, Iterator, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

from branchline.errors import BranchlineWarning, ParameterError, Repair
from branchline.scale._write_frames import check_ending, write_frames
from branchline.table import Table, TableScan, scan_with
from branchline.table.files import ReadOptions, as_fitted

if TYPE_CHECKING:
    import polars as pl

__all__ = ["no_probabilities", "predict_file", "predictions_in_parts", "probability_columns"]

_CELLS = 1 << 23  # of a part


def predict_file(
    model: Any,
    source: str | PathLike[str] | Sequence[str | PathLike[str]],
    output: str | PathLike[str],
    *,
    copy: str | Sequence[str] = (),
    probabilities: bool = False,
    cache: str | PathLike[str] | None = None,
    on_progress: Callable[[int, int], None] | None = None,
    **reading: Any,
) -> int:
    """Predict the rows of a file that is larger than memory, and write the predictions.

    The rows are those of ``model.predict(read_table(source))``, in their order.

    Parameters
    ----------
    model
        A fitted model.
    source
        Delimited text or Parquet: a file, a folder, a pattern or a list, as of ``scan_table``.
    output
        The file to write: .csv, .csv.gz, .parquet or .json. It appears when all rows are predicted.
    copy
        Columns of the source that are written beside the predictions, such as an identifier.
    probabilities
        Write the probability of each class, too.
    cache
        The folder that keeps the columns of the source; default: a temporary one.
    on_progress
        Called with the number of rows that are predicted and the number of all rows.
    **reading
        Options of ``read_table``: delimiter, encoding, missing and so on.

    Returns
    -------
    int
        The number of rows.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from branchline import load_dataset
    >>> from branchline.forest import RandomForestClassifier
    >>> from branchline.scale import predict_file
    >>> X, y = load_dataset("iris").split_target("species")
    >>> model = RandomForestClassifier(n_estimators=5, random_state=0).fit(X, y)
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> X.write_csv(folder / "new.csv")
    >>> predict_file(model, folder / "new.csv", folder / "predicted.csv")
    150
    """
    check_ending(str(output))
    if probabilities and not hasattr(model, "predict_proba"):
        raise no_probabilities(model)
    schema = getattr(model, "needed_schema_", model.schema_)
    given = {"texts": "keep", **as_fitted(schema), **reading}
    for name in ("missing", "drop"):
        if name in given:
            given[name] = (given[name],) if isinstance(given[name], str) else tuple(given[name])
    scan = scan_with(source, ReadOptions(**given), cache=cache)
    copied = [copy] if isinstance(copy, str) else list(copy)

    def predicted(rows: Table) -> dict[str, Any]:
        columns = {"prediction": model.predict(rows).tolist()}
        return columns | (probability_columns(model, rows) if probabilities else {})

    write_frames(predictions_in_parts(model, scan, copied, predicted, on_progress), str(output))
    return scan.n_rows


def predictions_in_parts(
    model: Any,
    scan: TableScan,
    copy: Sequence[str],
    predicted: Callable[[Table], dict[str, Any]],
    on_progress: Callable[[int, int], None] | None = None,
) -> "Iterator[pl.DataFrame]":
    """Yield the copied columns and the predictions of one part after the other."""
    import polars as pl

    known = [name for name in scan.names if name in model.schema_.position]
    known = known if model.schema_.named and known else list(scan.names)
    n_done, n_rows = 0, max(1, _CELLS // max(1, scan.n_columns))
    for part in scan.parts(n_rows) if scan.n_rows else iter([scan]):
        columns: dict[str, Any] = {name: part.column(name).to_list() for name in copy}
        with warnings.catch_warnings():
            # Of one part: the whole table may well have values that were there at fit.
            warnings.filterwarnings("ignore", "No value of column", BranchlineWarning)
            columns |= predicted(part.select(known))
        yield pl.DataFrame(columns, strict=False)
        n_done += part.n_rows
        if on_progress is not None:
            on_progress(n_done, scan.n_rows)


def probability_columns(model: Any, rows: Table) -> dict[str, Any]:
    """Return the probability of each class as a column."""
    given = model.predict_proba(rows)
    return {
        f"probability of {name}": given[:, place].tolist()
        for place, name in enumerate(model.classes_)
    }


def no_probabilities(model: Any) -> ParameterError:
    """Return the error for probabilities of a model that gives none."""
    return ParameterError(
        f"{type(model).__name__} does not give probabilities.",
        code="K020",
        repair=Repair(flag="leave --probabilities out"),
    )
