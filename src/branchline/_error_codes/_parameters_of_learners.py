"""Parameters of forests, boosting, kernels and machines (P140 to P199, without P160)."""

from branchline._error_codes._entry import ErrorCode

__all__ = ["ENTRIES"]

ENTRIES = (
    ErrorCode(
        "P140",
        "wrong directions of monotone predictions",
        "monotonic_cst maps names of numeric columns to 1 (larger values, larger predictions), -1 "
        "(larger values, smaller predictions) or 0 (free), or lists a direction for each column.",
    ),
    ErrorCode(
        "P141",
        "monotone predictions of several outputs",
        "Monotone predictions are defined for the probability of the second of two classes and "
        "for one number. Fit one model for each output, or leave out monotonic_cst.",
    ),
    ErrorCode(
        "P142",
        "no out-of-bag rows",
        "Out-of-bag estimates need rows that some tree has not seen. Set bootstrap=True, or "
        "max_samples below 1, and keep oob_score=True.",
    ),
    ErrorCode(
        "P143",
        "fewer trees than there are",
        "A warm start adds trees and cannot remove any. Raise n_estimators, or set "
        "warm_start=False to start again.",
    ),
    ErrorCode(
        "P144",
        "no such tree",
        "Trees of a forest are numbered from 0 to one less than n_estimators_, in the order in "
        "which they were grown.",
    ),
    ErrorCode(
        "P145",
        "other rows or draws at a warm start",
        "Trees that were grown on other rows, weights or draws (random_state, bootstrap, "
        "max_samples) cannot be combined with new ones, because their out-of-bag rows are not "
        "known. Set warm_start=False to start again.",
    ),
    ErrorCode(
        "P146",
        "the targets of leaves were not kept",
        "Quantiles come from the training targets in each leaf. Set keep_targets=True before "
        "fitting. This works for one output and makes the model larger.",
    ),
    ErrorCode(
        "P150",
        "a custom loss with wrong results",
        "gradient_hessian(y, raw) must return two arrays of the shape of raw: finite numbers "
        "below 2^127, and no hessian below 0. initial and value are optional; early stopping "
        "needs value.",
    ),
    ErrorCode(
        "P151",
        "a learner that cannot be boosted",
        "The estimator of a sequence is the name of a learner, or an estimator for the same task. "
        "One without sample_weight accepts only whole weights, and only where residuals are "
        "fitted.",
    ),
    ErrorCode(
        "P152",
        "a warm start that does not fit",
        "A warm start adds members. Rows, weights, columns and the type of members must be those "
        "of the earlier fit, and n_estimators at least the number of members. Set "
        "warm_start=False to start again.",
    ),
    ErrorCode(
        "P153",
        "a loss that does not fit",
        "The loss is unknown for this task, has a parameter out of range, or is for two classes "
        "only. The message lists what is allowed.",
    ),
    ErrorCode(
        "P154",
        "wrong groups of columns",
        "interaction_cst is a list of groups, each a list of column names (or numbers). Columns "
        "of different groups never occur on the same path. A column in no group stays alone.",
    ),
    ErrorCode(
        "P155",
        "wrong validation rows",
        "eval_set is a pair of rows and targets with the columns of X and the classes of y. These "
        "rows measure each round and are not learned from.",
    ),
    ErrorCode(
        "P156",
        "boosting that diverges",
        "Scores exceeded the largest float, because each round steps farther than the loss is "
        "from its minimum. Use a smaller learning_rate, or more l2_regularization.",
    ),
    ErrorCode(
        "P161",
        "a factor that kernels do not allow",
        "Kernels are added, multiplied with each other, and multiplied with finite numbers of at "
        "least 0. With a negative factor the result would not be positive semidefinite, so no "
        "kernel learner could use it.",
    ),
    ErrorCode(
        "P162",
        "not a kernel",
        "A kernel is given by name (rbf, linear, poly, sigmoid, laplacian, precomputed), as an "
        "object of branchline.kernels, or as a function of two blocks of rows. Sums and products "
        "are made of kernels only.",
    ),
    ErrorCode(
        "P163",
        "a power that need not be a kernel",
        "The exponent of a kernel is a whole number of at least 1. Roots and other powers of a "
        "positive semidefinite kernel need not be positive semidefinite.",
    ),
    ErrorCode(
        "P164",
        "wrong column names of a kernel",
        "A kernel takes names of columns, each a text and each once. Its other parameters are "
        "given by name, as in RBF('height', gamma=0.5).",
    ),
    ErrorCode(
        "P165",
        "a model without leaves",
        "A tree kernel compares the leaves in which rows end. It needs a fitted tree, forest or "
        "boosted model whose apply(X) returns the leaf of each row.",
    ),
    ErrorCode(
        "P166",
        "a kernel function with wrong results",
        "A function on blocks returns a matrix of finite numbers, with a row for each row of A "
        "and a column for each row of B. With vectorized=False it is called with two rows and "
        "returns a number. The function of reweighted takes one row.",
    ),
    ErrorCode(
        "P167",
        "features that cannot be written out",
        "Explicit features are known for linear kernels and for polynomial ones with coef0 of at "
        "least 0. low_rank finds features of any positive semidefinite kernel, up to a tolerance.",
    ),
    ErrorCode(
        "P170",
        "a solver that does not fit the loss",
        "Newton's method needs a loss with a second derivative, so solver='newton' goes with the "
        "squared losses. solver='interior_point' is for hinge and epsilon_insensitive. "
        "solver='descent' takes both, and solver='auto' chooses by the number of terms.",
    ),
    ErrorCode(
        "P175",
        "alpha is too small for the kernel",
        "Kernel ridge regression needs alpha above the size of the most negative eigenvalue of "
        "the kernel matrix; a positive semidefinite kernel allows every alpha. Raise alpha as the "
        "message says, or use another kernel.",
    ),
    ErrorCode(
        "P176",
        "a kernel that is not positive semidefinite",
        "With a kernel matrix that has negative eigenvalues the objective decreases without "
        "bound, so a best model does not exist. Use a positive semidefinite kernel; "
        "kernel.is_psd(X) checks it.",
    ),
    ErrorCode(
        "P177",
        "no principal components",
        "Components are directions of positive variance, but this kernel has large negative "
        "eigenvalues on the rows given. Use a positive semidefinite kernel; kernel.is_psd(X) "
        "checks it.",
    ),
    ErrorCode(
        "P178",
        "kernel values beyond floating-point precision",
        "C times the kernel's values is so large that the solver's equations lose all digits, as "
        "with polynomial kernels of raw numbers. Standardize the columns, or use a smaller C, "
        "gamma or degree.",
    ),
    ErrorCode(
        "P180",
        "training rows not kept",
        "Exact leave-one-out solves the problem again without each support vector, and needs all "
        "training rows for it. A model file and a pickle hold support vectors only: fit the model "
        "again.",
    ),
    ErrorCode(
        "P181",
        "a hard margin with contradictory options",
        "A hard margin allows no slack and has an intercept, so squared slack and "
        "fit_intercept=False contradict it. Use margin='soft' with a large C, or leave the other "
        "parameter at its default.",
    ),
    ErrorCode(
        "P182",
        "a nu that the classes do not allow",
        "nu times half of the rows must fit into each class, because the weights of each class "
        "sum to it. Choose a nu of at most twice the share of the smaller class.",
    ),
    ErrorCode(
        "P183",
        "a grid that is not a list of numbers",
        "The values to try are a list of finite numbers above 0; each is tried once, in "
        "increasing order.",
    ),
    ErrorCode(
        "P184",
        "an ROC curve of more than two classes",
        "The area under the ROC curve compares two classes. With more classes, choose C and gamma "
        "by accuracy, balanced_accuracy or f1_macro.",
    ),
)
