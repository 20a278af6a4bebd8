"""Gaussian processes and kernels of histograms, series and graphs (D651 to D659, P890 to P909)."""

from branchline._error_codes._entry import ErrorCode

__all__ = ["ENTRIES"]

ENTRIES = (
    ErrorCode(
        "D651",
        "a kernel matrix that no Gaussian process has",
        "The covariance of a Gaussian process is positive definite: the kernel must be positive "
        "semidefinite (kernel.is_psd(X) tells), and equal rows with different targets need noise. "
        "Learn the noise with noise_std='auto', or choose another kernel.",
    ),
    ErrorCode(
        "D652",
        "a histogram with numbers below 0",
        "Intersection and ChiSquare compare counts, and are kernels only of numbers of at least 0. "
        "Name the columns that count, as in Intersection('red', 'green'), or use RBF.",
    ),
    ErrorCode(
        "D653",
        "a time series with categories",
        "GlobalAlignment takes columns of numbers, the moments of a series in the order of time: "
        "GlobalAlignment('monday', 'tuesday', 'wednesday'). Without names it takes all columns.",
    ),
    ErrorCode(
        "D654",
        "a text that is not a graph",
        "WeisfeilerLehman reads graphs as texts: the labels of the nodes, '|', and the edges, as "
        "in 'C C O | 0-1 1-2'. Edges join places of nodes, counted from 0. '0-1:double' is an edge "
        "with a label.",
    ),
    ErrorCode(
        "P890",
        "a wrong number of length scales",
        "ARD(length_scales=...) takes one number for all columns, or one for each column: in the "
        "order of the names that it was given, and without names in the order of the table.",
    ),
    ErrorCode(
        "P891",
        "a picture of length scales that the kernel does not have",
        "draw() of a Gaussian process shows the length scale of each column, which only kernels "
        "with ARD have: kernel='ard', or a formula with ARD(). Other kernels have one width for "
        "all columns.",
    ),
    ErrorCode(
        "P892",
        "a list of kernels that holds something else",
        "SVCGrid and SVRGrid take one kernel or a list of at least one: names such as 'rbf', "
        "kernels such as RBF(), functions of two blocks of rows.",
    ),
    ErrorCode(
        "P893",
        "values of degree or coef0 that are out of range",
        "SVCGrid and SVRGrid try a number or a list of at least one: degrees are whole numbers "
        "from 1 to 100, coef0 is at least 0.",
    ),
)
