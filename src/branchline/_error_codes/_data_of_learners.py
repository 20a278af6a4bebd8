"""Data that a learner, a comparison or a kernel cannot use (D100 and above)."""

from branchline._error_codes._entry import ErrorCode

__all__ = ["ENTRIES"]

ENTRIES = (
    ErrorCode(
        "D100",
        "classes of a later batch",
        "partial_fit met a class that is not among those given with classes= at the first batch, "
        "or classes of another type (numbers after text). Without classes=, new classes are added "
        "as they come.",
    ),
    ErrorCode(
        "D101",
        "weights too large to be counted",
        "Naive Bayes counts weights without rounding. The weights of all batches together may "
        "reach 2^62 units. A unit is 1 for whole weights, else 2^-40 of the largest weight of the "
        "first batch with fractions. Give every batch weights of about the same size.",
    ),
    ErrorCode(
        "D115",
        "a new class in partial_fit",
        "partial_fit was given a target with a class that is not among the classes of its first "
        "call. Start again with all classes, or leave these rows out.",
    ),
    ErrorCode(
        "D120",
        "a member predicts NaN or infinity",
        "A member of an ensemble, most often an estimator of another library, predicts NaN or "
        "infinity. An average of such predictions would be meaningless.",
    ),
    ErrorCode(
        "D121",
        "members and target do not match",
        "Predictions of the members and the target must have the same rows and the same classes, "
        "and must be finite where numbers are compared.",
    ),
    ErrorCode(
        "D130",
        "missing times",
        "Every row needs a time when rows of the past shall predict rows of the future. Leave out "
        "rows without a time, or choose another way of testing.",
    ),
    ErrorCode(
        "D131",
        "results of another run",
        "A run is resumed only with the same plan on the same rows; otherwise scores of different "
        "things would be mixed. Start a new run, or give the same options as before.",
    ),
    ErrorCode(
        "D132",
        "nothing to compare",
        "No learner could be scored on any test set. The message gives the reasons. Often a "
        "metric needs probabilities that no learner predicts, or every test set has one class "
        "only.",
    ),
    ErrorCode(
        "D133",
        "nothing sealed",
        "Each row is sealed at random with the given probability. With few rows, or a very small "
        "or large share, all rows may fall on one side.",
    ),
    ErrorCode(
        "D134",
        "test set opened before",
        "A sealed test set answers one question once. A model that is chosen after its score was "
        "seen gets too good a score the next time. Opening it again is possible, but it is "
        "recorded and shown in reports.",
    ),
    ErrorCode(
        "D135",
        "no record of a sealed test set",
        "The file should hold the key by which rows were sealed and the earlier openings. It is "
        "missing or was changed; without it the sealed rows are not known.",
    ),
    ErrorCode(
        "D136",
        "no results to resume",
        "A comparison that is interrupted, or given --run FILE, leaves its results and its "
        "options in a file. --resume and `branchline report` need that file unchanged.",
    ),
    ErrorCode(
        "D137",
        "a target from which nothing can be learned",
        "A target with one value only, or with a different class in every row (a name, an account "
        "number), cannot be predicted from other columns. Choose another target; numbers that "
        "were read as names need --task regression.",
    ),
    ErrorCode(
        "D150",
        "targets that the loss does not allow",
        "Poisson and Tweedie losses need targets of at least 0, gamma losses above 0, because the "
        "score is the logarithm of a mean.",
    ),
    ErrorCode(
        "D160",
        "not a Gram matrix",
        "A precomputed kernel is a square matrix of finite numbers over the training rows. Later "
        "rows have one column for each training row, in the same order. The kernel of two later "
        "rows is not known.",
    ),
    ErrorCode(
        "D161",
        "no column of texts",
        "A string kernel takes one column of texts. Name the column when there are several. Texts "
        "that look like numbers must be read as a category.",
    ),
    ErrorCode(
        "D162",
        "a kernel that is not symmetric",
        "A kernel gives two rows one value, in either order. A matrix that differs from its "
        "transpose by more than rounding is refused. If both values mean the same, average them.",
    ),
    ErrorCode(
        "D163",
        "kernel values too large for a float",
        "Large inputs, a high degree or large factors make kernel values that floating-point "
        "numbers cannot hold. Standardize the columns, or use a smaller gamma or degree.",
    ),
    ErrorCode(
        "D164",
        "a kernel that is not positive semidefinite",
        "low_rank needs a kernel that is positive semidefinite on the rows. If it is not, "
        "is_psd(X) names a few rows that prove it.",
    ),
    ErrorCode(
        "D165",
        "string kernel values too large for a float",
        "The texts share very many parts, and the sum over them exceeds the largest "
        "floating-point number: long texts with a decay above 1, or long subsequences of long "
        "texts. Shorten the texts, or choose a smaller decay or length.",
    ),
    ErrorCode(
        "D166",
        "too many characters for a string kernel",
        "String kernels number the characters of all texts with 32 bits, so a column may hold at "
        "most 2,147,483,647 characters. Use fewer or shorter texts.",
    ),
    ErrorCode(
        "D167",
        "not enough memory",
        "An array or a computation asked for more memory than the machine, the container or the "
        "process may have. Use fewer rows, columns, classes or trees, or a machine with more "
        "memory. The error is a MemoryError too.",
    ),
    ErrorCode(
        "D170",
        "classes that are not separable",
        "A hard margin needs classes that do not overlap in the space of the kernel. The named "
        "mixtures of rows of both classes coincide, which proves that they do overlap. Use "
        "margin='soft', or a richer kernel.",
    ),
    ErrorCode(
        "D171",
        "a kernel without a solution",
        "The kernel is not positive semidefinite on the rows, so the objective decreases without "
        "bound. kernel.is_psd(X) names a few rows that prove it. Use another kernel, or "
        "loss='hinge'.",
    ),
    ErrorCode(
        "D173",
        "separability not decided",
        "The search for a hard margin was stopped by max_iter or time_budget before it found a "
        "separating plane or a proof that there is none.",
    ),
    ErrorCode(
        "D410",
        "the model's errors are not known",
        "A prediction interval rests on the errors that the learner made on training rows it had "
        "not seen. This model does not know them: it was fitted without cross-validation, or "
        "saved by a version before 0.2. `branchline compare --save` keeps them, `branchline fit "
        "--intervals --save` measures them, and so does fit_intervals(model, X, y) in Python.",
    ),
    ErrorCode(
        "D411",
        "no rows to measure errors on",
        "Errors are measured by cross-validation, which needs at least two different rows, and "
        "for classes at least two classes among the rows to learn from. Give more rows.",
    ),
    ErrorCode(
        "D412",
        "a model without intervals",
        "Intervals go with predicted numbers, and sets of classes with predicted classes. A model "
        "that transforms a table or finds unusual rows has neither.",
    ),
    ErrorCode(
        "D440",
        "a forest too large for the memory",
        "A forest keeps, for each leaf of each tree, the number of rows of each class. With "
        "thousands of classes and leaves that needs more memory than there is. The first tree is "
        "grown and shows how many leaves to expect. Ask for fewer leaves (max_leaf_nodes, or a "
        "larger min_samples_leaf) or fewer trees, or use a machine with more memory.",
    ),
    ErrorCode(
        "D470",
        "too few rows to choose a size",
        "A size is chosen with cross-validation beside the bounds, which needs at least two "
        "different rows or groups.",
    ),
    ErrorCode(
        "D471",
        "no size that the rows allow",
        "A model with as many parameters as rows, or a tree with more leaves than the rows "
        "allow, cannot be judged by these rules. Ask for smaller sizes or give more rows.",
    ),
    ErrorCode(
        "D472",
        "a selection curve of numbers",
        "How far choosing inputs deceives is counted in errors of classes. Give a target of "
        "classes, or numbers cut into classes.",
    ),
    ErrorCode(
        "D473",
        "too few rows for a selection curve",
        "A quarter of the rows is set aside, and inputs are chosen anew in ten folds of the "
        "others. That needs at least 20 rows, and two classes.",
    ),
)
