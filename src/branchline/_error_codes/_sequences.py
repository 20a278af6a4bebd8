"""Sequences, several outputs and grids.

P870 to P889 and P940, D628, D629, D640 to D649 and D940 to D942, W081.
"""

from branchline._error_codes._entry import ErrorCode

__all__ = ["ENTRIES"]

ENTRIES = (
    ErrorCode(
        "D628",
        "another number of outputs than rows",
        "Each row of X needs an output. With output_kernel='precomputed' y is the kernel of all "
        "training outputs with each other: a square matrix with a row and a column for each.",
    ),
    ErrorCode(
        "D629",
        "a kernel of outputs that is not positive semidefinite",
        "Trees and ridge regression of outputs work in the space of their kernel. It must exist: "
        "no eigenvalue of the Gram matrix may be negative, up to rounding. Choose a kernel that is "
        "positive semidefinite, or set negative eigenvalues of a given matrix to 0.",
    ),
    ErrorCode(
        "D640",
        "a table of tokens lacks a column",
        "The columns that name the sequence of each token and its position must be in the table, "
        "at prediction as well. Leave the parameter at None where there is no such column.",
    ),
    ErrorCode(
        "D641",
        "tokens whose sequence or position is missing",
        "It must be known to which sequence each token belongs, and where it stands in it. Other "
        "columns may have missing values.",
    ),
    ErrorCode(
        "D642",
        "positions of tokens that are text",
        "The position says in which order tokens stand: it must be a number, a date or a time. "
        "With position=None the rows of a sequence stand in their order.",
    ),
    ErrorCode(
        "D643",
        "two tokens of a sequence at one position",
        "Positions within a sequence must differ: otherwise the order of its tokens is not known. "
        "Sequences of different origin may have got the same name.",
    ),
    ErrorCode(
        "D644",
        "training sequences with a forbidden transition",
        "A forbidden pair of labels occurs in the training rows. Either the labels are wrong "
        "there, or the pair is possible.",
    ),
    ErrorCode(
        "D645",
        "a sequence without any allowed labeling",
        "The forbidden transitions leave no way from the first token to the last. This can happen "
        "for sequences that are longer or shorter than those of the training rows.",
    ),
    ErrorCode(
        "D646",
        "weights that differ within a sequence",
        "A sequence is learned as a whole, so all its tokens have one weight.",
    ),
    ErrorCode(
        "D647",
        "one target where several are predicted",
        "Models of several targets take a column for each target: a table, a frame, a mapping or a "
        "two-dimensional array. For one target use a learner itself.",
    ),
    ErrorCode(
        "D648",
        "rows with a missing target among several",
        "A model of several targets learns from rows in which all of them are known. Leave out the "
        "others, or fit a model for each target on the rows that have it.",
    ),
    ErrorCode(
        "D649",
        "another number of targets than the model predicts",
        "Scores need a column for each target of the model, in the same order.",
    ),
    ErrorCode(
        "D940",
        "places in a grid that are not whole numbers",
        "The row and the column of a cell are whole numbers: cells whose numbers differ by 1 are "
        "neighbors. Number the places of names or coordinates first.",
    ),
    ErrorCode(
        "D941",
        "two cells of a grid at one place",
        "Each cell of a grid has a place of its own. Grids of different origin may have got the "
        "same name, or the parameter grid was left out.",
    ),
    ErrorCode(
        "D942",
        "a grid that is too large for an exact search",
        "The best labeling of a grid is found over all labelings of a line of its shorter side. "
        "65,536 are allowed: 16 cells with two labels, 10 with three, 8 with four. Cut large grids "
        "into tiles, and give each tile a name.",
    ),
    ErrorCode(
        "P870",
        "a forbidden transition of an unknown label",
        "Forbidden transitions are pairs of labels that occur in the training rows; None stands "
        "for the start or the end of a sequence.",
    ),
    ErrorCode(
        "P871",
        "more than one sequence to explain",
        "An explanation is of one sequence. Choose its rows.",
    ),
    ErrorCode(
        "P875",
        "a target that is not there",
        "Names of targets must be those of the columns of y; columns of an array are called "
        "'output 1', 'output 2' and so on.",
    ),
    ErrorCode(
        "P876",
        "an order of a chain that lacks a target",
        "The order of a chain names each target exactly once.",
    ),
    ErrorCode(
        "P877",
        "a column that has the name of a chain's target",
        "A chain adds earlier targets to the table, each called by its name and '(target)'. Rename "
        "or drop the column of that name.",
    ),
    ErrorCode(
        "P878",
        "a model of one target where several are assessed",
        "cross_validate_outputs takes models of branchline.outputs. Put a learner into "
        "MultiOutput, or use cross_validate for one target.",
    ),
    ErrorCode(
        "P879",
        "several targets where a command takes one",
        "Commands learn one target at a time. branchline fit takes several, as -t a,b, and fits a "
        "model for each.",
    ),
    ErrorCode(
        "P880",
        "too many different outputs for exact features",
        "All directions of the kernel's space are found for up to 2 000 different outputs. Of "
        "more, take the main ones with n_components, a Nyström approximation.",
    ),
    ErrorCode(
        "P881",
        "new outputs for a model with a given Gram matrix",
        "A model of a given Gram matrix does not know the kernel of new outputs, so it cannot be "
        "scored on them. cross_validate_kernel_outputs scores it on the rows of the matrix.",
    ),
    ErrorCode(
        "P882",
        "a model without a kernel of outputs where one is assessed",
        "cross_validate_kernel_outputs takes OutputKernelTree, OutputKernelForest or "
        "OutputKernelRidge. Other models have cross_validate and cross_validate_outputs.",
    ),
    ErrorCode(
        "P883",
        "a tree of outputs with a criterion that is not the variance",
        "Distances in the kernel's space are squared, so trees of outputs with a kernel lower the "
        "variance. Other criteria are for numbers.",
    ),
    ErrorCode(
        "P940",
        "several grids where one is shown",
        "explain and draw show one grid. Choose its rows first.",
    ),
    ErrorCode(
        "W081",
        "a duality gap that is larger than asked for",
        "Training ended before the bound was reached. The model can be used; the objective could "
        "be lower by at most the gap. Raise max_epochs (max_planes of a grid labeler), or lower C.",
    ),
)
