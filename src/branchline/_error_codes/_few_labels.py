"""Few labels (P820 to P829, D620, W070 to W074)."""

from branchline._error_codes._entry import ErrorCode

__all__ = ["ENTRIES"]

ENTRIES = (
    ErrorCode(
        "D620",
        "no row has a label",
        "A classifier that learns from unlabeled rows, too, needs at least one row of each class "
        "whose label is known. Here every value of the target is missing. Label some rows first.",
    ),
    ErrorCode(
        "P820",
        "a learner without probabilities labels no rows",
        "SelfTraining labels the rows that its learner is surest of, so the learner must have "
        "predict_proba. Nearly all learners of the catalog have it.",
    ),
    ErrorCode(
        "P821",
        "class shares that do not fit the classes",
        "class_shares maps each class to its share of the unlabeled rows. Shares lie between 0 "
        "and 1 and sum to 1. Classes are written as in the target.",
    ),
    ErrorCode(
        "P822",
        "a leave-one-out error of found labels",
        "The labels of unlabeled rows were found with every row there. Leaving one row out "
        "afterwards would count these labels as true ones, and the error would be too low. Use "
        "compare or cross_validate on the labeled rows.",
    ),
    ErrorCode(
        "P824",
        "a learner that does not learn from unlabeled rows",
        "Only the learners of branchline.semi learn from rows whose target is missing: "
        "SelfTraining, S3VM, LabelPropagation and LabelSpreading. Put any other classifier into "
        "SelfTraining.",
    ),
    ErrorCode(
        "P825",
        "a learner inside SelfTraining that takes no weights",
        "Weights were given, and they are not whole numbers, which would be copies of rows. The "
        "learner takes no sample_weight. Fit without weights, or choose another learner.",
    ),
    ErrorCode(
        "W070",
        "self-training went back to its learner",
        "On labeled rows left out of it, the learner that had labeled rows by itself predicted "
        "worse than the learner that knew the given labels alone. So the model is the latter, as "
        "if there had been no unlabeled rows.",
    ),
    ErrorCode(
        "W071",
        "rows without a target",
        "Some rows have no value in the target column. Learners are tested on the others. Most "
        "learners leave such rows out; self_training, s3vm, label_propagation and label_spreading "
        "learn from them, and are compared with themselves on labeled rows alone.",
    ),
    ErrorCode(
        "W072",
        "the search for labels ended before its proof",
        "The exact search of S3VM reached its maximum number of machines. The labels are the best "
        "that it saw; others may be better by as much as the gap. Raise max_nodes, or use "
        "search='annealed' where there are many unlabeled rows.",
    ),
    ErrorCode(
        "W073",
        "a label of -1 is a class, not a missing label",
        "Every row has a label, and -1 is one of the classes beside 0, 1, 2, … Other libraries "
        "mark unlabeled rows by -1. Here an unlabeled row is one whose target is missing (None, "
        "NaN, an empty cell). If -1 is a class of its own, ignore the warning.",
    ),
)
