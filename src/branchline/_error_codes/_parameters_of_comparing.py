"""Parameters of comparisons, reports and the command line (P100 to P139, P160, P300 and above)."""

from branchline._error_codes._entry import ErrorCode

__all__ = ["ENTRIES"]

ENTRIES = (
    ErrorCode(
        "P100",
        "too few scores to compare",
        "Two models are compared by the differences of their scores on the same test sets. At "
        "least two test sets are needed on which both have scores: use more folds or repeats.",
    ),
    ErrorCode(
        "P101",
        "an unknown way of testing",
        "Rows can be split into training and test sets in several ways: folds, leave-one-out, "
        "hold-out, three-way, bootstrap, group-folds and time-folds. The last two need a column "
        "with the group or the time of each row.",
    ),
    ErrorCode(
        "P102",
        "an unknown learner in the comparison",
        "A comparison takes names of the catalog (`branchline learners` lists them), estimators, "
        "or a mapping from labels to either. Every label must be unique.",
    ),
    ErrorCode(
        "P103",
        "a wrong size of a training set",
        "The sizes of a learning curve are shares of up to 1.0, or numbers of rows of at least 2. "
        "No training set can be larger than the folds leave.",
    ),
    ErrorCode(
        "P104",
        "a threshold without two classes",
        "A comparison can choose each learner's threshold inside every training set only when the "
        "target has two classes. Leave threshold out, or give costs to a learner that takes them.",
    ),
    ErrorCode(
        "P105",
        "no such row",
        "Rows are counted from 0, the header not counted: the first row is 0.",
    ),
    ErrorCode(
        "P106",
        "not a tree learner",
        "The command `tree` grows decision trees: tree, c45, cart, id3, one_rule and stump. Other "
        "learners are fitted by `fit`.",
    ),
    ErrorCode(
        "P107",
        "an unknown format of predictions",
        "Predictions are written as .csv, .parquet or .json; the ending of the file name decides.",
    ),
    ErrorCode(
        "P108",
        "no bootstrap to estimate from",
        "The .632 and .632+ estimates need predictions by models fitted on bootstrap "
        "samples: compare with resampling='bootstrap' and a few dozen repeats.",
    ),
    ErrorCode(
        "P110",
        "an unknown format of a report",
        "A report is written as .html (one self-contained page), .md (Markdown, with numbers in "
        "place of pictures) or .json (for programs). The ending of the file name decides.",
    ),
    ErrorCode(
        "P111",
        "not a comparison",
        "A report is made from a comparison, which compare returns. For one model alone, compare "
        "it with the baseline: compare(X, y, learners=[model]).",
    ),
    ErrorCode(
        "P112",
        "a model that does not belong to the comparison",
        "The model that a report explains must be fitted on the columns and the target of the "
        "comparison. Without a model, the recommended learner is fitted on all rows.",
    ),
    ErrorCode(
        "P113",
        "a wrong title or command of a report",
        "The title of a report and the command that made it are text, or None. They are shown "
        "unchanged.",
    ),
    ErrorCode(
        "P120",
        "a known function that returns something else",
        "To decompose an error by simulation, the function must return one finite number for each "
        "row that is drawn. Its inputs may be any table.",
    ),
    ErrorCode(
        "P121",
        "bias and variance need squared error",
        "Error = bias² + noise + variance holds for squared error only. The learner must predict "
        "numbers. For a classifier, use class_bias_variance_by_simulation or "
        "class_bias_variance_by_bootstrap, or predict the probability of one class as a number.",
    ),
    ErrorCode(
        "P122",
        "wrong input of a demonstration",
        "A curve needs a name and values; samples must leave rows out; points to be shattered "
        "must be few and finite and, to refute a dimension, more than the VC dimension. The "
        "message says which rule is broken.",
    ),
    ErrorCode(
        "P123",
        "an unknown reproduction",
        "Published tables are reproduced by name, and their learners are chosen by name. The "
        "message lists the names.",
    ),
    ErrorCode(
        "P130",
        "an option that is not understood",
        "Some options of the command line have their own form: --time-budget 60s, --seal 20%, "
        "--costs truth>predicted=5, --set max_depth=3, --require auc.low>=0.75. The message shows "
        "the form.",
    ),
    ErrorCode(
        "P160",
        "the time was too short",
        "The time budget ended before any learner had finished one fold, so there is nothing to "
        "compare. Allow more time, or ask for quicker learners or fewer rows.",
    ),
    ErrorCode(
        "P300",
        "an option with an unknown choice",
        "The option takes one of a few words. The message lists them; branchline VERB --help says "
        "what each means.",
    ),
    ErrorCode(
        "P301",
        "an unknown parameter of a learner",
        "--set NAME=VALUE sets a parameter of the learner's class. The message lists its "
        "parameters; branchline learners NAME names the class.",
    ),
    ErrorCode(
        "P302",
        "nothing to resume, and no target",
        "compare --resume takes its options from the run file of an interrupted comparison. There "
        "is no such file here, so the column to predict must be named.",
    ),
    ErrorCode(
        "P303",
        "a flag with a new name",
        "The flag was renamed, so that the same thing has the same name in Python and on the "
        "command line: --time is --time-budget (time_budget), --test is --resampling (resampling).",
    ),
    ErrorCode(
        "P310",
        "level of an interval",
        "The level is the share of new rows that an interval should contain: a number between 0 "
        "and 1 in Python (0.9), a percentage above 0 and below 100 on the command line "
        "(--interval 90). No finite interval contains all rows.",
    ),
    ErrorCode(
        "P350",
        "a metric at a share or a threshold",
        "gain, lift and net_benefit are taken at a share of rows or at a threshold, which stands "
        "after an @: lift@10% looks at the tenth of rows with the highest probabilities, "
        "net_benefit@20% treats rows from a probability of 20 % on. The number lies between 0 and "
        "100 %, or between 0 and 1: lift@0.1.",
    ),
    ErrorCode(
        "P351",
        "a share outside a gain curve",
        "A gain curve goes over shares of rows, above 0 and up to 1: 0.1 is a tenth.",
    ),
    ErrorCode(
        "P352",
        "a threshold outside a decision curve",
        "A decision curve goes over probabilities from which on rows are treated, 0.01 to 0.99.",
    ),
    ErrorCode(
        "P353",
        "nothing was tuned",
        "Which hyper-parameters mattered is known of learners that were tuned inside the "
        "comparison: tuning='small' or --tune small. The baseline and a few others have nothing to "
        "tune.",
    ),
    ErrorCode(
        "P354",
        "results by the target",
        "Results are shown in groups of rows that are known before the outcome, such as sex or "
        "age. For groups of the target itself look at the confusion matrix.",
    ),
    ErrorCode(
        "P360",
        "a hierarchy that does not suit the target",
        "Margins are compared between two classes. For numbers or more classes, choose the size "
        "along 'degree', 'leaves' or 'inputs'.",
    ),
    ErrorCode(
        "P361",
        "sizes that are not in the hierarchy",
        "Sizes are a list: degrees from 0, leaves from 1, numbers of inputs from 0, or values of "
        "C above 0. None tries a usual range.",
    ),
    ErrorCode(
        "P362",
        "sizes or a target that are missing",
        "--sizes takes a list of numbers such as 1,2,4,8. A selection curve of a table needs "
        "--target; without a table it is drawn on pure noise.",
    ),
    ErrorCode(
        "P363",
        "known classes whose probabilities are wrong",
        "To decompose an error by simulation, the function must return the probability of each "
        "class for each row that is drawn: numbers from 0, 1 in sum.",
    ),
    ErrorCode(
        "P364",
        "not a classifier",
        "Errors of classes are taken apart for classifiers. For learners of numbers, use "
        "bias_variance_by_simulation or bias_variance_by_bootstrap.",
    ),
    ErrorCode(
        "P365",
        "curves along an input that is not a number",
        "Samples are laid over each other along one numeric input of the problem. All inputs must "
        "be numbers.",
    ),
    ErrorCode(
        "P790",
        "a model that is not an estimator",
        "The model must be an estimator: an object with fit, predict and get_params. "
        "branchline.make makes one of a name, such as make('tree', task='classification'). A class "
        "is called first: CART(), not CART.",
    ),
    ErrorCode(
        "P590",
        "a model without importances",
        "importance_intervals is about feature_importances_, which trees, forests and boosting "
        "have for each column of the table. permutation_importance(model, X, y) measures what "
        "columns are worth to any model.",
    ),
)
