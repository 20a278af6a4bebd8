"""DNA sequences that are not bundled: promoters and splice junctions, read from a folder.

1. The folder is the one given, or ``promoters`` or ``splice`` in it, or in the folder that the
   environment variable BRANCHLINE_DATA names.
2. A file of the UCI repository (``.data``) holds a class, a name and a sequence a line; an ARFF
   file holds a column a symbol, between the name and the class.
"""

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from branchline.errors import DataError, Repair
from branchline.table import Table, read_table

__all__ = ["Sequences", "read_sequences"]

_VARIABLE = "BRANCHLINE_DATA"


@dataclass(frozen=True, eq=False)
class Sequences:
    """Texts and the class of each."""

    texts: list[str]
    classes: npt.NDArray[np.object_]

    def take(self, rows: npt.NDArray[np.intp]) -> "Sequences":
        """Return some of the sequences."""
        return Sequences([self.texts[row] for row in rows.tolist()], self.classes[rows])

    @property
    def shape(self) -> str:
        """How many there are, and how long; "4 to 60" where lengths differ."""
        lengths = sorted({len(text) for text in self.texts})
        shown = f"{lengths[0]}" if len(lengths) == 1 else f"{lengths[0]} to {lengths[-1]}"
        return f"{len(self.texts)} × {shown}"


def read_sequences(name: str, folder: str | os.PathLike[str] | None) -> Sequences:
    """Return the sequences of a data set; ``name`` is that of its folder and its file."""
    path = _file(name, folder)
    if path.suffix == ".arff":
        return _columns(read_table(path))
    return _lines(path, read_table(path, header=False))


def _file(name: str, given: str | os.PathLike[str] | None) -> Path:
    outer = given if given is not None else os.environ.get(_VARIABLE)
    if not outer:
        raise _absent(name, "no folder was given.")
    for place in (Path(outer), Path(outer) / name):
        for suffix in (".data", ".arff"):
            if (place / f"{name}{suffix}").is_file():
                return place / f"{name}{suffix}"
    raise _absent(name, f"it is neither in {str(outer)!r} nor in a folder {name!r} there.")


def _absent(name: str, why: str) -> DataError:
    return DataError(
        f"The {name} data are not bundled: the file {name}.data of the UCI repository, or "
        f"{name}.arff, is needed, and {why} "
        f"The environment variable {_VARIABLE} can name the folder too.",
        code="F001",
        repair=Repair(f'{name}("{name}")', flag=f"branchline reproduce {name} --data {name}"),
    )


def _lines(path: Path, table: Table) -> Sequences:
    """Return the sequences of a file with a class, a name and a sequence a line."""
    columns = [table[name].to_list() for name in table.names]
    if len(columns) != 3 or any(cell is None for column in columns for cell in column):
        raise DataError(
            f"{path}: a line is a class, a name and a sequence, separated by commas.", code="D011"
        )
    classes, _, texts = columns
    return Sequences([str(text).strip() for text in texts], np.array(classes, dtype=object))


def _columns(table: Table) -> Sequences:
    """Return the sequences of a table with a column a symbol, after the name, before the class."""
    _, *symbols, target = table.names
    cells = [table[name].to_list() for name in symbols]
    texts = ["".join(str(symbol) for symbol in row) for row in zip(*cells, strict=True)]
    return Sequences(texts, np.array(table[target].to_list(), dtype=object))
