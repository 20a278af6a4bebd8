"""The leukemia patients of Golub and others (1999), read from a folder that is not bundled.

1. The folder is the one given, or ``golub_leukemia`` in the folder that the environment variable
   BRANCHLINE_DATA names.
2. Two files hold a gene a line and a patient a column; a third holds the cancer of each patient.
3. They are turned into a patient a line and a gene a column.
"""

import os
import warnings
from pathlib import Path

import numpy as np
import numpy.typing as npt

from branchline.errors import BranchlineWarning, DataError, Repair
from branchline.table import Table, read_table

__all__ = ["golub_patients"]

_FOLDER, _VARIABLE = "golub_leukemia", "BRANCHLINE_DATA"
_CANCERS = "actual.csv"
_PARTS = ("data_set_ALL_AML_train.csv", "data_set_ALL_AML_independent.csv")
_GENE = "Gene Accession Number"

Patients = tuple[npt.NDArray[np.float64], npt.NDArray[np.object_]]


def golub_patients(folder: str | os.PathLike[str] | None) -> Patients:
    """Return the expressions of the genes, patients in the order of the list, and the cancers."""
    place = _folder(folder)
    cancers = _read(place / _CANCERS)
    parts = [_read(place / name) for name in _PARTS]
    genes = [part[_GENE].to_list() for part in parts]
    if genes[0] != genes[1]:
        raise DataError(
            f"{place}: {_PARTS[0]} and {_PARTS[1]} do not list the same genes in the same order.",
            code="D011",
        )
    expressions = [_expressions(str(number), parts) for number in cancers["patient"].to_list()]
    return np.array(expressions), np.array(cancers["cancer"].to_list(), dtype=object)


def _folder(given: str | os.PathLike[str] | None) -> Path:
    """Return the folder of the files: the one given, or the one inside it."""
    outer = given if given is not None else os.environ.get(_VARIABLE)
    if not outer:
        raise _absent("no folder was given.")
    for place in (Path(outer), Path(outer) / _FOLDER):
        if all(_file(place / name) is not None for name in (_CANCERS, *_PARTS)):
            return place
    raise _absent(f"they are neither in {str(outer)!r} nor in a folder {_FOLDER!r} there.")


def _file(path: Path) -> Path | None:
    """Return the file as it is or packed; None when there is neither."""
    packed = path.with_name(f"{path.name}.gz")
    return next((place for place in (path, packed) if place.is_file()), None)


def _absent(why: str) -> DataError:
    names = ", ".join((_CANCERS, *_PARTS))
    return DataError(
        f"The leukemia data are not bundled: the files {names} (or .csv.gz) are needed, and {why} "
        f"The environment variable {_VARIABLE} can name the folder too.",
        code="F001",
        repair=Repair(f'golub("{_FOLDER}")', flag=f"branchline reproduce golub --data {_FOLDER}"),
    )


def _read(path: Path) -> Table:
    with warnings.catch_warnings():
        # Each patient has a further column, and all of these are called "call".
        warnings.simplefilter("ignore", BranchlineWarning)
        return read_table(_file(path) or path, header=True)


def _expressions(patient: str, parts: list[Table]) -> npt.NDArray[np.float64]:
    for part in parts:
        if patient in part.names:
            return np.asarray(part[patient].numbers(), dtype=np.float64)
    raise DataError(
        f"Patient {patient} of {_CANCERS} is a column of neither {_PARTS[0]} nor {_PARTS[1]}.",
        code="D011",
        column=patient,
    )
