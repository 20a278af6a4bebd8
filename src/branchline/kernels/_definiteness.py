"""Whether a Gram matrix is positive semidefinite, and a few rows that show it when it is not.

1. The matrix must be symmetric; otherwise it is refused.
2. Its least eigenvalue λ decides: below −tolerance (rounding of an n × n matrix) it is refuted.
3. The witness is made small: of the rows with the largest entries in the eigenvector of λ, the
   fewest whose own matrix still has a negative eigenvalue; then each row is left out that can be.
   Eigenvalues of parts lie above those of the whole, so one pass leaves no row to spare.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from branchline._arrays import Floats
from branchline._one_thread import limit_threads
from branchline._plain_numbers import number
from branchline.errors import DataError, Repair

__all__ = ["Definiteness", "Witness", "definiteness", "refuse_asymmetric"]

_SYMMETRY = 1e-8  # relative to the largest entry
_ROUNDING = 16 * np.finfo(np.float64).eps
# Leaving rows out one by one takes an eigenvalue problem each.
_MOST_TRIED = 128


@dataclass(frozen=True, eq=False)
class Witness:
    """Rows and coefficients with Σ c_i c_j K_ij < 0, which no Mercer kernel allows.

    Parameters
    ----------
    rows
        Positions of the rows, counted from 0.
    coefficients
        A number for each; the sum of their squares is 1.
    energy
        Σ c_i c_j K_ij.

    See Also
    --------
    Definiteness : the verdict on a kernel and a sample.

    Examples
    --------
    >>> from branchline.kernels import Sigmoid
    >>> found = Sigmoid(gamma=1.0, coef0=-1.0).is_psd([[0.0], [1.0], [2.0]])
    >>> found.witness.energy < 0
    True
    """

    rows: npt.NDArray[np.int64]
    coefficients: Floats
    energy: float


@dataclass(frozen=True, eq=False)
class Definiteness:
    """The verdict on a kernel and a sample.

    Parameters
    ----------
    is_psd
        Whether the kernel is positive semidefinite, as far as the reason says.
    least_eigenvalue
        Of the sample's Gram matrix.
    tolerance
        How far below 0 rounding alone may put an eigenvalue.
    witness
        A few rows that refute it; None when there are none.
    reason
        "proved" (Mercer by construction, whatever the rows), "on this sample" or "refuted".

    See Also
    --------
    Kernel : ``is_psd`` returns it.

    Examples
    --------
    >>> from branchline.kernels import RBF
    >>> found = RBF(gamma=0.5).is_psd([[0.0], [1.0]])
    >>> found.reason, round(found.least_eigenvalue, 3)
    ('proved', 0.393)
    """

    is_psd: bool
    least_eigenvalue: float
    tolerance: float
    witness: Witness | None
    reason: str

    def __bool__(self) -> bool:
        return self.is_psd

    def __str__(self) -> str:
        if self.witness is None:
            return f"positive semidefinite ({self.reason})"
        listed = ", ".join(str(row) for row in self.witness.rows.tolist()[:8])
        more = " …" if len(self.witness.rows) > 8 else ""
        energy, least = number(self.witness.energy, 3), number(self.least_eigenvalue, 3)
        return (
            f"not positive semidefinite: rows {listed}{more} have the energy {energy} "
            f"(least eigenvalue {least})"
        )


def definiteness(gram: Floats, *, is_proved: bool = False) -> Definiteness:
    """Return the verdict on a Gram matrix; ``is_proved`` for a kernel that is Mercer anyway."""
    refuse_asymmetric(gram)
    with limit_threads("blas"):
        values, vectors = np.linalg.eigh((gram + gram.T) / 2)
        tolerance = float(len(gram) * _ROUNDING * np.abs(values).max(initial=0.0))
        least = float(values[0])
        if is_proved or least >= -tolerance:
            reason = "proved" if is_proved else "on this sample"
            return Definiteness(True, least, tolerance, None, reason)
        witness = _witness(gram, vectors[:, 0], tolerance)
    return Definiteness(False, least, tolerance, witness, "refuted")


def refuse_asymmetric(gram: Floats) -> None:
    """Refuse a matrix that differs from its transpose by more than rounding."""
    gap = np.abs(gram - gram.T)
    if gap.max(initial=0.0) <= _SYMMETRY * np.abs(gram).max(initial=0.0):
        return
    row, column = np.unravel_index(int(gap.argmax()), gap.shape)
    above, below = float(gram[row, column]), float(gram[column, row])
    raise DataError(
        f"The kernel is not symmetric: K({row}, {column}) is {above:g}, but K({column}, {row}) is "
        f"{below:g}. A kernel gives two rows one value, in either order.",
        code="D162",
        rows=[int(row), int(column)],
        values=[above, below],
        repair=Repair("K = (K + K.T) / 2  # if both values mean the same"),
    )


def _witness(gram: Floats, vector: Floats, tolerance: float) -> Witness:
    rows = _fewest_largest(gram, vector, tolerance)
    if len(rows) <= _MOST_TRIED:
        for row in rows[np.argsort(np.abs(vector[rows]), kind="stable")]:
            fewer = rows[rows != row]
            if len(fewer) and _least(gram, fewer) < -tolerance:
                rows = fewer
    rows = np.sort(rows)
    values, vectors = np.linalg.eigh(_part(gram, rows))
    coefficients = vectors[:, 0] * (1.0 if vectors[np.abs(vectors[:, 0]).argmax(), 0] > 0 else -1.0)
    return Witness(rows.astype(np.int64), coefficients, float(values[0]))


def _fewest_largest(gram: Floats, vector: Floats, tolerance: float) -> npt.NDArray[np.intp]:
    """Return the fewest rows, by the size of their entry, whose own matrix refutes."""
    order = np.argsort(-np.abs(vector), kind="stable")
    low, high = 0, 1
    while high < len(order) and _least(gram, order[:high]) >= -tolerance:
        low, high = high, min(2 * high, len(order))
    while high - low > 1:  # the first ``low`` do not refute, the first ``high`` do
        middle = (low + high) // 2
        refutes = _least(gram, order[:middle]) < -tolerance
        low, high = (low, middle) if refutes else (middle, high)
    return order[:high]


def _least(gram: Floats, rows: npt.NDArray[np.intp]) -> float:
    return float(np.linalg.eigvalsh(_part(gram, rows))[0])


def _part(gram: Floats, rows: npt.NDArray[np.intp]) -> Floats:
    part = gram[np.ix_(rows, rows)]
    symmetric: Floats = (part + part.T) / 2
    return symmetric
