"""Data that are not rows and columns of real numbers, refused with scikit-learn's sentences."""

from branchline.errors import DataError, Repair

__all__ = ["complex_numbers", "flat_list", "no_columns", "not_two_dimensional"]

_RESHAPE = "X = X.reshape(-1, 1)  # one column; for one row: X.reshape(1, -1)"
_ROWS_OF_ONE = "X = [[value] for value in X]  # one column; for one row: X = [X]"


def not_two_dimensional(n_dims: int, repair: str | None = None) -> DataError:
    """Return the error for an array of ``n_dims`` dimensions, which are not two."""
    if n_dims > 2:
        message = f"Found array with dim {n_dims}, while dim <= 2 is required."
        return DataError(message, code="D006", repair=Repair("X = X.reshape(len(X), -1)"))
    seen, usual = ("1D", _RESHAPE) if n_dims else ("scalar", "X = [[X]]")
    return DataError(
        f"Expected 2D array, got {seen} array instead. Reshape your data: a table has rows and "
        "columns.",
        code="D006",
        repair=Repair(repair or usual),
    )


def flat_list(n_values: int, n_dims: int = 1) -> DataError:
    """Return the error for a list of ``n_values`` that is not a list of rows."""
    if n_dims > 2:
        error = not_two_dimensional(n_dims)
        error.repair = Repair("import numpy\nX = numpy.reshape(X, (len(X), -1))")
        return error
    if n_values:
        return not_two_dimensional(1, _ROWS_OF_ONE)
    return DataError(
        "Expected 2D array, got 1D array instead: the list is empty, so there are no rows. "
        "A table has rows and columns.",
        code="D006",
    )


def no_columns(n_rows: int) -> DataError:
    """Return the error for a table of ``n_rows`` rows and no columns."""
    return DataError(
        f"Found a table with 0 feature(s) (shape=({n_rows}, 0)) while a minimum of 1 is required.",
        code="D002",
    )


def complex_numbers(column: str | None = None) -> DataError:
    """Return the error for complex numbers, in ``column`` or anywhere."""
    where = "X" if column is None else f"X[{column!r}]"
    return DataError(
        "Complex data not supported.",
        code="D007",
        column=column,
        repair=Repair(f"import numpy\nreal, imaginary = numpy.real({where}), numpy.imag({where})"),
    )
