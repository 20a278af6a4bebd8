"""Distances and kernels of nearest neighbors and Parzen windows (D943 to D949, P944 to P949)."""

from branchline._error_codes._entry import ErrorCode

__all__ = ["ENTRIES"]

ENTRIES = (
    ErrorCode(
        "D943",
        "rows to predict that do not hold distances",
        "With metric='precomputed' each row to predict holds its distances from all training rows, "
        "in their order: numbers of at least 0, none missing.",
    ),
    ErrorCode(
        "D944",
        "a kernel that gives no distance",
        "The distance of two rows by a kernel is the root of k(a, a) + k(b, b) - 2 k(a, b). A "
        "kernel that is not positive semidefinite can make this sum negative. kernel.is_psd(X) "
        "tells whether it is on your rows. Choose a kernel such as RBF or Linear.",
    ),
    ErrorCode(
        "D945",
        "a kernel with values below 0 as weights of rows",
        "Parzen windows take the value of the kernel as the weight of a training row, which must "
        "be at least 0. RBF, Laplacian, Hamming, the kernels of texts, graphs and series, and "
        "their sums and products are; Linear, Polynomial and Sigmoid need not be.",
    ),
    ErrorCode(
        "D946",
        "a correlation of rows without two numeric columns",
        "metric='correlation' is 1 minus the correlation of two rows over their columns. All "
        "columns must be numeric, and there must be two or more.",
    ),
    ErrorCode(
        "P944",
        "a function as metric that does not return distances",
        "The function takes two rows and returns a finite number of at least 0, or takes two "
        "blocks of rows and returns a matrix of such numbers. Rows are arrays of numbers, or of "
        "Python objects when some column is not a number; with one column that is not a number, a "
        "row is the value itself. Missing numbers are NaN, other missing values None.",
    ),
    ErrorCode(
        "P945",
        "a parameter without effect for this distance",
        "Weights of columns, scale='range' and the bandwidth belong to distances that add up "
        "differences of columns. A correlation, a function, a matrix and a kernel do not. Leave "
        "the parameter at its default.",
    ),
    ErrorCode(
        "P946",
        "a kernel matrix in place of distances",
        "A kernel with a given matrix has no value for a new row and itself, so distances from new "
        "rows are not known. Give the matrix of distances with metric='precomputed', or a kernel "
        "that is computed from the rows.",
    ),
    ErrorCode(
        "P947",
        "more rows for a matrix of distances",
        "partial_fit cannot add rows to a model with metric='precomputed': the distances between "
        "old and new rows are missing. Fit again with the whole matrix.",
    ),
    ErrorCode(
        "P948",
        "an explanation by columns for a function or a matrix of distances",
        "An explanation leaves out each cell in turn. A function or a matrix of distances need "
        "not have a value for a row with a missing cell. Call kneighbors: it names the training "
        "rows that decide, and their distances.",
    ),
)
