"""Parameters with values that are not allowed (P001 to P099)."""

from branchline._error_codes._entry import ErrorCode

__all__ = ["ENTRIES"]

ENTRIES = (
    ErrorCode(
        "P001",
        "parameter value not allowed",
        "The message names the parameter, the value seen and the values allowed.",
    ),
    ErrorCode(
        "P002",
        "unknown parameter",
        "The estimator has no parameter of that name; the message names the nearest one.",
    ),
    ErrorCode(
        "P003",
        "random_state not usable",
        "A random state is a whole number, None, or one of NumPy's generators.",
    ),
    ErrorCode(
        "P004",
        "n_jobs not usable",
        "n_jobs is None (all cores), a positive number of threads, or a negative one counted from "
        "the end (−1: all cores).",
    ),
    ErrorCode(
        "P005",
        "names that do not fit the columns",
        "The list of names must hold one text for each column.",
    ),
    ErrorCode(
        "P006",
        "memory budget not understood",
        "The environment variable BRANCHLINE_MEMORY holds a number of bytes, with or without a "
        "unit: 2000000000, 500M, 8G.",
    ),
    ErrorCode(
        "P010",
        "which class is positive?",
        "Precision, recall and F1 describe one class, the positive one. With class names like yes "
        "and no, name it: positive='yes' or --positive yes.",
    ),
    ErrorCode(
        "P011",
        "metric does not fit the task",
        "Some metrics describe classes, others numbers; the message lists those that fit.",
    ),
    ErrorCode(
        "P012",
        "unknown error code",
        "Error codes are a letter and three digits; branchline errors lists them all.",
    ),
    ErrorCode(
        "P013",
        "kind not understood",
        "A kind is given as COLUMN=KIND, where the kind is number, category, date, time, duration "
        "or boolean.",
    ),
    ErrorCode(
        "P014",
        "which data set?",
        "--save writes one bundled data set to a file, so the command needs its name.",
    ),
    ErrorCode(
        "P015",
        "contradictory parameters",
        "Two parameters of an estimator contradict each other, so one of them would have no "
        "effect. The message names both.",
    ),
    ErrorCode(
        "P016",
        "a wrong column in a parameter",
        "A parameter that names columns (costs of tests, subsets, intervals) names a column that "
        "the table does not have, or one of another kind, or gives it values that do not fit.",
    ),
    ErrorCode(
        "P017",
        "wrong costs of errors",
        "The cost matrix must have a row and a column for each class, in the order of classes_; "
        "rows are the true classes. Costs are finite numbers of at least 0, and 0 on the "
        "diagonal.",
    ),
    ErrorCode(
        "P018",
        "wrong class weights",
        "class_weight must name classes of the target and give each a finite number of at least "
        "0. Classes that are not named have weight 1.",
    ),
    ErrorCode(
        "P019",
        "too many subsets to try",
        "k categories have 2^(k−1) − 1 subsets. Beyond 20 categories a search of all of them "
        "would take too long; the default search finds the best subset or nearly the best.",
    ),
    ErrorCode(
        "P020",
        "no such node",
        "Nodes are numbered from 0, the root, level by level. to_frame lists them.",
    ),
    ErrorCode(
        "P021",
        "one row at a time",
        "explain describes the prediction for one row. Pass a table of one row, such as "
        "Table(X).rows([0]), or a mapping of column names to values.",
    ),
    ErrorCode(
        "P030",
        "wrong prior probabilities",
        "priors must be a mapping that gives every class of the target a finite number above 0, "
        "and names nothing else. Only ratios matter, so {'good': 2, 'bad': 1} is allowed.",
    ),
    ErrorCode(
        "P031",
        "numeric changed between batches",
        "A model that was started with numeric='gaussian' keeps only means and deviations; the "
        "other settings need the values. So a model cannot change between them. Fit a new model.",
    ),
    ErrorCode(
        "P032",
        "classes changed between batches",
        "classes= lists all classes that will occur, at the first call of partial_fit. A later "
        "call must give the same list, or none.",
    ),
    ErrorCode(
        "P040",
        "wrong column weights",
        "column_weights of a nearest-neighbor learner names columns of the table and gives each a "
        "number from 0 (the column is ignored) to 1,000,000. Columns that are not named have "
        "weight 1.",
    ),
    ErrorCode(
        "P041",
        "wrong number of neighbors",
        "The number of neighbors must be a whole number of at least 1 and, for kneighbors, at "
        "most the number of training rows.",
    ),
    ErrorCode(
        "P050",
        "too many products of columns",
        "A polynomial basis has a term for each product of up to degree encoded terms, so the "
        "number of terms grows with the power of the degree. Use a lower degree, fewer columns, "
        'interactions_only=True, or kind="rbf".',
    ),
    ErrorCode(
        "P051",
        "too many columns to try all subsets",
        "The best subset of k columns is found among 2^k subsets, most of which a bound rules out "
        "without a fit. Beyond 25 columns this may take hours; forward and backward selection "
        "take seconds.",
    ),
    ErrorCode(
        "P060",
        "wrong prior probabilities",
        "priors must give each class of the target a probability above 0, and the probabilities "
        "must sum to 1. Without priors, the class frequencies of the training rows are used.",
    ),
    ErrorCode(
        "P061",
        "the first partial_fit needs all classes",
        "Rows may come in batches, and the first batch need not contain every class. So the first "
        "call of partial_fit must be given all classes that will occur.",
    ),
    ErrorCode(
        "P070",
        "the training of a network diverged",
        "The weights of the neural network grew without bound, so its predictions are "
        "meaningless. The steps are too long: set a smaller learning_rate, or solver='lbfgs', "
        "which chooses the step length itself.",
    ),
    ErrorCode(
        "P071",
        "wrong codes for an auto-encoder",
        "inverse_transform takes what transform returned: a table of finite numbers with one "
        "column for each of n_components.",
    ),
    ErrorCode(
        "P080",
        "an unknown learner in an ensemble",
        "An ensemble names a learner that the catalog does not have, or one that cannot do the "
        "task. branchline.catalog.names() lists the learners; an estimator can be given instead.",
    ),
    ErrorCode(
        "P081",
        "wrong labels of learners",
        "The members of an ensemble are identified by their labels, also in set_params. A label "
        "must be unique, must not contain two underscores in a row, and must not be the name of a "
        "parameter. Default labels are made from the learners' names.",
    ),
    ErrorCode(
        "P082",
        "a member that takes no weights",
        "sample_weight is passed to every member of an ensemble, but one of them (nearest "
        "neighbors, a neural network) cannot use weights. Fit without weights, or choose another "
        "learner in its place.",
    ),
    ErrorCode(
        "P083",
        "wrong weights of members",
        "The weights or the prior of an ensemble hold one number for each member: finite, at "
        "least 0, and not all 0. Only their ratios matter.",
    ),
    ErrorCode(
        "P084",
        "a learner for the other task",
        "An ensemble of classifiers can contain classifiers only, an ensemble of regressors "
        "regressors only.",
    ),
    ErrorCode(
        "P085",
        "parts of a model cannot be counted",
        "The Bayesian information criterion charges for each part of a model (leaf, weight). "
        "Estimators of other libraries do not report how many they have. Evidence by folds needs "
        "no such number.",
    ),
    ErrorCode(
        "P086",
        "a threshold for more than two classes",
        "A threshold on a probability separates two classes. With more classes, weigh errors by "
        "costs: a tree with costs= chooses among any number of classes for the least expected "
        "cost.",
    ),
    ErrorCode(
        "P087",
        "a threshold without probabilities",
        "A threshold is applied to the probability of a class, so the learner must predict "
        "probabilities: `branchline learners` shows which do.",
    ),
    ErrorCode(
        "P090",
        "no such learner",
        "The catalog has no learner of this name. Capitals, spaces and underscores do not matter; "
        "branchline learners lists all names.",
    ),
    ErrorCode(
        "P091",
        "a task that the learner does not have",
        "A learner predicts classes (classification), numbers (regression) or both. The message "
        "names the learners for the task.",
    ),
    ErrorCode(
        "P092",
        "an unknown family or property",
        "catalog.find was asked for a family, or for a property of learners, that does not exist. "
        "The message lists those that exist.",
    ),
    ErrorCode(
        "P641",
        "an unknown way to treat texts",
        "as_table converts texts that are amounts or dates (texts='ask'), leaves those that can be "
        "read in two ways (texts='keep'), or converts nothing (texts='raw').",
    ),
)
