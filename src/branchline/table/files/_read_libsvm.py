"""The libsvm and svmlight format: ``label [qid:n] index:value …  # comment`` on each line.

1. Each line is cut at blanks: a label, perhaps a query number, and pairs.
2. All pairs are read at once: the index a whole number, the value a float.
3. Indices must rise within a line; they count from 1, or from 0 when a 0 occurs.
4. The table stays sparse: label first, then the query number, then one column for each index.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._memory import refuse_over_budget
from branchline.errors import DataError
from branchline.table._kinds import rounds_whole_numbers
from branchline.table._table import Table
from branchline.table.files._encoding import decode
from branchline.table.files._options import ReadOptions
from branchline.table.files._source import Source, file_error

__all__ = ["read_libsvm"]

_MOST_COLUMNS = 2**24
_BYTES_A_COLUMN = 400  # a name and a type, as Python objects
_QUERY = "qid:"


@dataclass
class _Lines:
    """The parts of the lines, not yet read as numbers."""

    numbers: list[int] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    queries: list[str | None] = field(default_factory=list)
    n_pairs: list[int] = field(default_factory=list)
    pairs: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Pairs:
    """Index, value, row and line of every pair."""

    indices: npt.NDArray[np.int64]
    values: npt.NDArray[np.float64]
    rows: npt.NDArray[np.intp]
    lines: npt.NDArray[np.intp]


def read_libsvm(source: Source, options: ReadOptions) -> Table:
    """Return the sparse table that a libsvm text holds."""
    lines = _cut(decode(source, options.encoding))
    if not lines.labels:
        raise file_error(source.name, "there are only comments in the file.", code="F004")
    labels = _numbers(source.name, lines, lines.labels, "a label")
    front = {"label": labels}
    if any(query is not None for query in lines.queries):
        front["qid"] = _numbers(source.name, lines, lines.queries, "a query number")
    pairs = _read_pairs(source.name, lines)
    _check_order(source.name, pairs)
    return options.apply(_sparse_table(source.name, front, pairs))


def _cut(text: str) -> _Lines:
    lines = _Lines()
    has_comments, has_queries = "#" in text, _QUERY in text
    for number, line in enumerate(text.split("\n"), start=1):
        words = (line.partition("#")[0] if has_comments else line).split()
        if not words:
            continue
        query = None
        if has_queries and len(words) > 1 and words[1].startswith(_QUERY):
            query = words.pop(1)[len(_QUERY) :]
        lines.numbers.append(number)
        lines.labels.append(words[0])
        lines.queries.append(query)
        lines.n_pairs.append(len(words) - 1)
        lines.pairs += words[1:]
    return lines


def _numbers(
    file: str, lines: _Lines, words: "list[str] | list[str | None]", what: str
) -> npt.NDArray[np.float64]:
    import polars as pl

    texts = pl.Series(words, dtype=pl.String)
    floats = texts.cast(pl.Float64, strict=False)
    bad = floats.is_null()
    if bad.any():
        row = bad.arg_max() or 0
        message = f"{texts[row]!r} is not {what}; a line is: label index:value index:value …"
        raise file_error(file, message, code="F020", line=lines.numbers[row])
    if rounds_whole_numbers(floats, texts):
        row = int(floats.abs().arg_max() or 0)
        message = (
            f"{texts[row]!r} is beyond 2⁵³: as numbers, different ones would become equal. Number "
            "them 1, 2, 3, … instead."
        )
        raise file_error(file, message, code="F100", line=lines.numbers[row])
    return floats.to_numpy()


def _read_pairs(file: str, lines: _Lines) -> _Pairs:
    import polars as pl

    rows = np.repeat(np.arange(len(lines.labels)), lines.n_pairs)
    line_of_pair = np.array(lines.numbers)[rows]
    words = pl.Series("pair", lines.pairs, dtype=pl.String)
    halves = words.str.splitn(":", 2).struct.unnest()
    indices = halves.to_series(0).cast(pl.Int64, strict=False)
    values = halves.to_series(1).cast(pl.Float64, strict=False)
    bad = indices.is_null() | values.is_null()
    if bad.any():
        place = bad.arg_max() or 0
        raise _bad_pair(file, words[place], int(line_of_pair[place]))
    return _Pairs(indices.to_numpy(), values.to_numpy(), rows, line_of_pair)


def _bad_pair(file: str, word: str, line: int) -> DataError:
    index = word.partition(":")[0].lstrip("+-")
    if index.isdecimal() and len(index) > 18:
        return _beyond(file, word, line)
    message = (
        f"{word!r} is not a pair; a pair is a whole number, a colon and a number, as in 3:0.5."
    )
    return file_error(file, message, code="F020", line=line, values=(word,))


def _beyond(file: str, seen: Any, line: int) -> DataError:
    message = f"index {seen} is beyond the {_MOST_COLUMNS} columns that a table may have here."
    return file_error(file, message, code="F022", line=line)


def _check_order(file: str, pairs: _Pairs) -> None:
    """Refuse indices that are negative, too large, doubled or not in rising order."""
    indices = pairs.indices
    if not len(indices):
        return
    negative, large = int(indices.argmin()), int(indices.argmax())
    if indices[negative] < 0:
        message = f"index {indices[negative]} is negative; indices count from 0 or 1."
        raise file_error(file, message, code="F021", line=int(pairs.lines[negative]))
    if indices[large] >= _MOST_COLUMNS:
        raise _beyond(file, indices[large], int(pairs.lines[large]))
    falls = (np.diff(indices) <= 0) & (np.diff(pairs.rows) == 0)
    if falls.any():
        place = int(falls.argmax())
        message = (
            f"index {indices[place + 1]} comes after {indices[place]}; within a line the indices "
            "must rise."
        )
        raise file_error(file, message, code="F021", line=int(pairs.lines[place]))


def _sparse_table(file: str, front: dict[str, npt.NDArray[np.float64]], pairs: _Pairs) -> Table:
    from scipy.sparse import coo_matrix, csc_matrix, hstack

    first = 0 if len(pairs.indices) and pairs.indices.min() == 0 else 1
    n_features = int(pairs.indices.max()) + 1 - first if len(pairs.indices) else 0
    refuse_over_budget(_BYTES_A_COLUMN * n_features, f"the {n_features} columns of {file}")
    n_rows = len(front["label"])
    places = (pairs.rows, pairs.indices - first)
    features = coo_matrix((pairs.values, places), shape=(n_rows, n_features))
    left = csc_matrix(np.column_stack(list(front.values())))
    names = [*front, *(f"x{index}" for index in range(first, n_features + first))]
    return Table.from_sparse(hstack([left, features], format="csc"), names)
