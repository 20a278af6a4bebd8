"""Every error code with what it means and what to do: the text behind ``branchline errors``.

One long list on purpose: a code is looked up here and nowhere else. It never changes its meaning.
D: data, F: files of data, K: kinds, M: model files, N: order of calls, P: parameters, W: warnings,
X: extras.
"""

from dataclasses import dataclass

__all__ = ["ERROR_CODES", "ErrorCode"]


@dataclass(frozen=True)
class ErrorCode:
    """One code: a short title and a paragraph that explains cause and remedy."""

    code: str
    title: str
    explanation: str


_ENTRIES = (
    ErrorCode(
        "D001",
        "no rows",
        "A model cannot be learnt from a table without rows. Often a filter removed everything, or "
        "every row has weight zero.",
    ),
    ErrorCode(
        "D002",
        "no columns",
        "The table has no input columns. Check that the target was not the only column.",
    ),
    ErrorCode(
        "D003",
        "no such column",
        "The name is not among the table's columns. Names are compared exactly, capitals and "
        "spaces included; look(table) lists them.",
    ),
    ErrorCode(
        "D004",
        "columns of different lengths",
        "Every column of a table has one cell a row. A column that is shorter or longer than the "
        "first usually lost or gained rows in an earlier step.",
    ),
    ErrorCode(
        "D005",
        "two columns of one name",
        "Columns are found by name, so every name must occur once. Joins often leave doubles: "
        "rename or drop one of them.",
    ),
    ErrorCode(
        "D006",
        "not rows and columns",
        "A table has two dimensions. A single column of n values has shape (n, 1), a single row "
        "of n values has shape (1, n); images and the like must be flattened to one row each.",
    ),
    ErrorCode(
        "D007",
        "complex numbers",
        "No learner here works on complex numbers. Use the real and the imaginary part, or the "
        "modulus and the angle, as two columns.",
    ),
    ErrorCode(
        "D008",
        "rows of different lengths",
        "Every row of a list of rows must have the same number of cells. Use None for a cell that "
        "is missing, or dictionaries, whose absent keys are missing.",
    ),
    ErrorCode(
        "D009",
        "category names that look alike",
        'Category names are compared as text, so that a category survives a CSV file; 1 and "1" '
        "would become one. Rename or merge one of them.",
    ),
    ErrorCode(
        "D010",
        "another number of columns",
        "A model fitted on data without column names finds its inputs by position, so the number "
        "of columns must be the same at prediction.",
    ),
    ErrorCode(
        "D011",
        "columns lacking",
        "The model was fitted on columns that this table does not have. Columns are found by "
        "name, in any order; extra ones are ignored.",
    ),
    ErrorCode(
        "D013",
        "moments with and without time zone",
        "Some moments of a column have a time zone and others have none, so they cannot be put in "
        "order. Give all of them a zone, or none.",
    ),
    ErrorCode(
        "D030",
        "over the memory budget",
        "The operation would need more memory than the budget, a quarter of what is available. "
        "Use fewer rows or columns, or set BRANCHLINE_MEMORY to a number of bytes.",
    ),
    ErrorCode(
        "D050",
        "unknown data set",
        "No bundled data set has this name. The names are lower case with hyphens (auto-mpg); "
        "branchline.table.dataset_names() lists them all.",
    ),
    ErrorCode(
        "K001",
        "text in a numeric column",
        "The column held numbers when the model was fitted and now holds text that is not a "
        "number. Mark such text as missing when reading the file, or fit with the column as a "
        "category.",
    ),
    ErrorCode(
        "K002",
        "a category that cannot be numeric",
        "A column was asked to be numeric, but some of its category names are not numbers. Mark "
        "these as missing when reading the file, or leave the column a category.",
    ),
    ErrorCode(
        "K006",
        "moments and plain numbers mixed up",
        "The column held dates or times when the model was fitted and now holds plain numbers, or "
        "the other way round. The two have different zeros and units, so a prediction would be "
        "silently wrong.",
    ),
    ErrorCode(
        "K003",
        "not a table",
        "Branchline reads NumPy arrays, SciPy sparse matrices, pandas, polars and pyarrow frames, "
        "lists of rows or dictionaries, and dictionaries of columns. Files are read by "
        "branchline.read_table.",
    ),
    ErrorCode(
        "K004",
        "unsupported column type",
        "Cells must be numbers, text, booleans, dates or times. Lists, structures, bytes and "
        "other objects must first be turned into one of these, or dropped.",
    ),
    ErrorCode(
        "K005",
        "a lazy frame",
        "A lazy frame is a plan, not data. Collect it first.",
    ),
    ErrorCode(
        "F100",
        "labels or query numbers beyond 2⁵³",
        "The labels of a libsvm file are numbers, and 64-bit floats round whole numbers beyond "
        "9,007,199,254,740,992: different labels would become one. Number them 1, 2, 3, … before.",
    ),
    ErrorCode(
        "F101",
        "a file that unpacks to far too much",
        "A compressed file whose content is thousands of times its size is not a table but a trap "
        "that fills the memory. Unpack it by hand when you trust it.",
    ),
    ErrorCode(
        "F102",
        "a file with a password",
        "Archives and workbooks that are protected by a password are not opened. Save a copy "
        "without a password.",
    ),
    ErrorCode(
        "F103",
        "which part of a file",
        "A workbook has sheets, a database tables, an archive files. When there are several, name "
        "one: read_table(path, sheet=...), --sheet NAME, or file.xlsx#NAME.",
    ),
    ErrorCode(
        "F104",
        "JSON that is not a table",
        "A table in JSON is a list of objects, one for each row, an object with a list for each "
        "column, or an object on each line. Cells are numbers, texts, true, false or null; objects "
        "inside rows become columns of their own, lists do not.",
    ),
    ErrorCode(
        "F105",
        "a database that cannot be read",
        "The address, the driver, the rights or the query are not right; the message of the driver "
        "says more. An address is scheme://user:password@host/database#table, and a query may "
        "stand where the table stands.",
    ),
    ErrorCode(
        "F110",
        "a saved model instead of a table",
        "The file is a model that Branchline saved. Commands that take both want the model first "
        "and the table second: branchline predict MODEL TABLE.",
    ),
    ErrorCode(
        "K100",
        "whole numbers beyond 2⁵³ in a sparse matrix",
        "Learners compute with 64-bit floats, which round whole numbers beyond "
        "9,007,199,254,740,992: different numbers would become equal. In a plain array or a frame "
        "such a column becomes a category; a sparse matrix has no categories.",
    ),
    ErrorCode(
        "K101",
        "numbers that can be read in two ways",
        "1.234 is one and a bit, or one thousand two hundred and thirty-four, and nothing in the "
        "column or the file decides. Say which mark is the decimal one: --kind NAME=number:. or "
        "--kind NAME=number:, on the command line, kinds={...} in read_table.",
    ),
    ErrorCode(
        "K102",
        "dates that can be read in two ways",
        "12/01/2024 is the twelfth of January or the first of December, and no value of the column "
        "decides. Say which part comes first: --kind NAME=date:%d/%m/%Y or "
        "--kind NAME=date:%m/%d/%Y, or keep the texts with --kind NAME=category.",
    ),
    ErrorCode(
        "K103",
        "a format of dates that cannot be read",
        "A format is made of %Y or %y (year), %m, %b or %B (month), %d (day), %H or %I with %p "
        "(hour), %M (minute), %S (second) and .%f (fraction), with any other characters between "
        "them: %d/%m/%Y, %Y%m%d, %d %b %Y %H:%M.",
    ),
    ErrorCode(
        "M004",
        "malformed schema in a model file",
        "The part of the file that describes the columns does not have the expected form; the "
        "file was damaged or written by something else.",
    ),
    ErrorCode(
        "P005",
        "names that do not fit the columns",
        "The list of names must hold one text for each column.",
    ),
    ErrorCode(
        "W025",
        "too few rows for an interval",
        "The honest interval is infinite, or the set holds all classes: with n independent "
        "rows, no interval with ends can be trusted to hold more than n / (n + 1) of new rows "
        "on a side. A lower level, or more rows, gives intervals with ends.",
    ),
    ErrorCode(
        "X001",
        "a library is not installed",
        "An optional library is needed for this. Install it and try again.",
    ),
    ErrorCode(
        "D040",
        "an unknown kind",
        "A column is a number or a category; date, time, duration and boolean say how its texts "
        "are read. Details follow a colon: number:, for a decimal comma, date:%d/%m/%Y for dates "
        "with the day first. Learners see dates and times as numbers, booleans as categories.",
    ),
    ErrorCode(
        "D410",
        "the model's errors are not known",
        "A prediction interval rests on the errors that the learner made on training rows it "
        "had not seen. This model does not know them: it was fitted without cross-validation, "
        "or saved by a version before 0.2. `branchline compare --save` keeps them, "
        "`branchline fit --intervals --save` measures them, and so does fit_intervals(model, "
        "X, y) in Python.",
    ),
    ErrorCode(
        "D411",
        "no rows to measure errors on",
        "Errors are measured by cross-validation, which needs at least two different rows, "
        "and for classes at least two classes among the rows to learn from. Give more rows.",
    ),
    ErrorCode(
        "D412",
        "a model without intervals",
        "Intervals belong to predicted numbers and sets of classes to predicted classes. A "
        "model that transforms a table or finds unusual rows has neither.",
    ),
    ErrorCode(
        "F001",
        "no such file",
        "The file is not where the path says. Relative paths start at the folder the program was "
        "started in. Addresses (URLs) are not fetched: download the file first.",
    ),
    ErrorCode(
        "F002",
        "a folder instead of a file",
        "A table is read from one file. Name a file in the folder; read several files one by one.",
    ),
    ErrorCode(
        "F003",
        "a file that cannot be opened",
        "The operating system refuses to open or read the file, for the reason given: often its "
        "permissions, or another program that holds it.",
    ),
    ErrorCode(
        "F004",
        "an empty file",
        "The file holds no cells at all. A header alone is allowed and gives a table without rows.",
    ),
    ErrorCode(
        "F005",
        "not a text file",
        "The bytes are not text, or text in an encoding without a byte-order mark that cannot be "
        "guessed. Say encoding=… when you know it, or format=… when it is another format.",
    ),
    ErrorCode(
        "F006",
        "undecodable text",
        "Some bytes are not text in the encoding asked for, or the encoding has no such name. "
        "Leave encoding out to have it found.",
    ),
    ErrorCode(
        "F007",
        "a damaged gzip file",
        "The file starts like gzip but cannot be unpacked to its end, most often because a "
        "download was cut short.",
    ),
    ErrorCode(
        "F008",
        "a damaged Parquet or Arrow file",
        "The file starts or is named like Parquet or Arrow but cannot be read. Write it again "
        "from its source.",
    ),
    ErrorCode(
        "F009",
        "a format that cannot be read",
        "The format is unknown here. Delimited text, ARFF, C4.5, libsvm, Parquet and Arrow are "
        "read; save other tables (JSON, Excel, web pages) as one of these.",
    ),
    ErrorCode(
        "F010",
        "another number of cells",
        "A record has more or fewer cells than the first record or than the declared attributes. "
        "Usually another delimiter is meant, or a cell that holds the delimiter is not quoted.",
    ),
    ErrorCode(
        "F011",
        "an open quote",
        "A quoted cell is never closed, so all that follows would be one cell. Close the quote, "
        "or double a quote that belongs to the text.",
    ),
    ErrorCode(
        "F012",
        "a reading option out of range",
        "delimiter is one ASCII character, decimal is a point or a comma and not the delimiter, "
        "header is true, false or left out.",
    ),
    ErrorCode(
        "F013",
        "a malformed ARFF header",
        "Before @data, an ARFF file holds @relation and @attribute lines and comments (%). A name "
        "with blanks must be quoted, a list of values closed with a brace.",
    ),
    ErrorCode(
        "F014",
        "an attribute type that cannot be read",
        "Attributes are numeric, real, integer, string, date with a Java date pattern, or a list "
        "of values in braces. Relational attributes are not read.",
    ),
    ErrorCode(
        "F015",
        "a value against its declaration",
        "The file declares what a column holds (numbers, listed values, dates) and a cell holds "
        "something else. Correct the declaration or the cell, or name the text in missing.",
    ),
    ErrorCode(
        "F016",
        "a malformed ARFF row",
        "A sparse row is {place value, place value, …} with places from 0 in rising order; a "
        "weight is one number in braces at the end of a row.",
    ),
    ErrorCode(
        "F017",
        "half of a C4.5 pair",
        "C4.5 keeps declarations in NAME.names and rows in NAME.data or NAME.test, side by side. "
        "One of them is not there.",
    ),
    ErrorCode(
        "F018",
        "a malformed C4.5 names file",
        "The first entry lists the classes, each further entry is a name, a colon and continuous, "
        "discrete N, ignore or the values. Many files called .names are descriptions in prose; "
        "read the rows as CSV then.",
    ),
    ErrorCode(
        "F020",
        "a malformed libsvm line",
        "A line is a numeric label, perhaps qid:n, then index:value pairs parted by blanks. "
        "Comments begin with #.",
    ),
    ErrorCode(
        "F021",
        "indices out of order",
        "In libsvm files the indices of a line must rise, so that none occurs twice, and none may "
        "be negative.",
    ),
    ErrorCode(
        "F022",
        "an index too large",
        "The index would make a table of more columns than can be handled; most often a value and "
        "an index were swapped.",
    ),
    ErrorCode(
        "F023",
        "a file that cannot be written",
        "The operating system refuses to write there, for the reason given. Nothing was changed.",
    ),
    ErrorCode(
        "D060",
        "infinite numbers",
        "A number of the inputs is infinite or too large for a float. Infinities usually "
        "come from a division by zero or from a marker for 'unknown'; make them missing, or "
        "give them a number.",
    ),
    ErrorCode(
        "D062",
        "every value is missing",
        "All cells of all input columns are missing. Often a join found no partner, or the cells "
        "hold a word for missing that fits every value; look(X) shows what was read.",
    ),
    ErrorCode(
        "D070",
        "no target",
        "A supervised learner needs the answers to learn from. Pass them as the second "
        "argument of fit; on the command line, name the column with --target.",
    ),
    ErrorCode(
        "D071",
        "missing answers in the target",
        "Rows whose answer is unknown cannot be learnt from. Leave them out when fitting; "
        "they can be predicted afterwards.",
    ),
    ErrorCode(
        "D072",
        "infinite target",
        "The target holds infinite numbers, from which no mean or error can be computed. "
        "Leave those rows out, or correct them.",
    ),
    ErrorCode(
        "D073",
        "complex target",
        "No learner here predicts complex numbers. Predict the real and the imaginary part "
        "one after the other.",
    ),
    ErrorCode(
        "D074",
        "target is not one column",
        "This learner predicts one column. Choose one, or fit a model for each.",
    ),
    ErrorCode(
        "D075",
        "inputs and target differ in length",
        "There must be one answer for each row. Often a filter was applied to one of the two only.",
    ),
    ErrorCode(
        "D076",
        "continuous target for a classifier",
        "The target holds numbers with fractions, so it looks like a quantity, not like "
        "class names. Use a regressor; or, when the numbers do stand for classes, turn them "
        "into text first.",
    ),
    ErrorCode(
        "D080",
        "weights of another shape",
        "There must be one weight for each row, in one dimension.",
    ),
    ErrorCode(
        "D081",
        "all weights are zero",
        "A row of weight zero counts as if it were not there, so nothing is left to learn from.",
    ),
    ErrorCode(
        "D082",
        "negative or missing weights",
        "A weight says how many rows a row stands for: a finite number of at least 0.",
    ),
    ErrorCode(
        "D090",
        "too few rows for the folds",
        "Cross-validation puts rows of each class into every fold, so a class needs at "
        "least as many rows as there are folds. Use fewer folds, or join rare classes.",
    ),
    ErrorCode(
        "K010",
        "weights that are not numbers",
        "Weights must be numbers, one for each row.",
    ),
    ErrorCode(
        "K011",
        "class names of different kinds",
        "Class names are sorted, and text cannot be put in order with numbers. Make all of "
        "them text.",
    ),
    ErrorCode(
        "K012",
        "text target for a regressor",
        "A regressor predicts numbers, but the target holds text. Use a classifier, or turn "
        "the text into numbers.",
    ),
    ErrorCode(
        "M001",
        "not a model file",
        "The file is not a zip archive written by model.save. Files made by pickle or "
        "joblib are not read: they can run code.",
    ),
    ErrorCode(
        "M002",
        "damaged model file",
        "The parts of the file do not agree with what it says about itself: an entry is "
        "missing, doubled, undeclared or altered. Save the model again.",
    ),
    ErrorCode(
        "M003",
        "model file too large",
        "The file says that it needs more memory than allowed. When you trust it, raise max_bytes.",
    ),
    ErrorCode(
        "M005",
        "impossible values in a model",
        "The file is well-formed, but holds values that no fit could have produced, such as "
        "a node that is its own child. It is refused, because using it could give wrong "
        "numbers or crash.",
    ),
    ErrorCode(
        "M006",
        "model cannot be saved",
        "Model files hold numbers and names only. An estimator of another library, a "
        "function or an object as parameter cannot be saved this way; use joblib, and load "
        "its files only when you trust them.",
    ),
    ErrorCode(
        "M007",
        "model file of another version",
        "The file was written by a newer Branchline, whose format this version does not know.",
    ),
    ErrorCode(
        "M008",
        "model file cannot be read",
        "There is no file of that name, it is a folder, or the operating system refuses to read "
        "it. Relative paths start at the folder the program was started in.",
    ),
    ErrorCode(
        "M009",
        "model file cannot be written",
        "The folder does not exist, or the operating system refuses to write there, for the "
        "reason given. Nothing was changed: an older file of that name is still whole.",
    ),
    ErrorCode(
        "N001",
        "not fitted yet",
        "The estimator has not learnt anything yet: call fit before predict. A fit that "
        "failed or was interrupted leaves it unfitted.",
    ),
    ErrorCode(
        "N002",
        "training rows not kept",
        "why() lists the tests that were considered, for which it needs the rows the model was "
        "fitted on. Saved, copied and very large models do not keep them: fit again.",
    ),
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
        "n_jobs is None (all cores), a positive number of threads, or a negative one "
        "counted from the end (−1: all cores).",
    ),
    ErrorCode(
        "P010",
        "which class is positive?",
        "Precision, recall and F1 describe one class, the positive one. With class names "
        "like yes and no it must be said which.",
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
        "A kind is given as COLUMN=KIND, where the kind is numeric or category.",
    ),
    ErrorCode(
        "P006",
        "memory budget not understood",
        "The environment variable BRANCHLINE_MEMORY holds a number of bytes, with or without a "
        "unit: 2000000000, 500M, 8G.",
    ),
    ErrorCode(
        "P014",
        "which data set?",
        "--save writes one bundled data set to a file, so its name must be given before it.",
    ),
    ErrorCode(
        "P015",
        "parameters that contradict each other",
        "Two parameters of an estimator ask for different things, so one of them would have no "
        "effect. The message names both.",
    ),
    ErrorCode(
        "P016",
        "a column named in a parameter",
        "A parameter that names columns (costs of tests, subsets, intervals) names one that the "
        "table does not have, or one of another kind, or gives it values that do not fit.",
    ),
    ErrorCode(
        "P017",
        "costs of errors",
        "The cost matrix must have a row and a column for each class, in the order of classes_; "
        "rows are the truth. Costs are finite numbers of at least 0, and 0 on the diagonal.",
    ),
    ErrorCode(
        "P018",
        "weights of classes",
        "class_weight must name classes of the target and give each a finite number of at least 0; "
        "classes that are not named weigh 1.",
    ),
    ErrorCode(
        "P019",
        "too many subsets to try",
        "k categories have 2^(k−1) − 1 subsets. Beyond 20 categories a search of all of them would "
        "take too long; the default search finds the best or nearly the best.",
    ),
    ErrorCode(
        "P020",
        "no such node",
        "Nodes are numbered from 0, the root, level by level. to_frame lists them.",
    ),
    ErrorCode(
        "K020",
        "no probabilities",
        "The metric compares probabilities of classes, but this model only names a class (a "
        "perceptron, say). Choose a metric that looks at decisions, such as accuracy, or a learner "
        "that gives probabilities: `branchline learners` says which do.",
    ),
    ErrorCode(
        "P100",
        "too few scores to compare",
        "Two models are compared by the differences of their scores on the same test sets. At "
        "least two test sets are needed on which both scores exist: use more folds or repeats.",
    ),
    ErrorCode(
        "P101",
        "no such way of testing",
        "Rows can be dealt to training and test sets in several ways: folds, leave-one-out, "
        "hold-out, three-way, bootstrap, group-folds and time-folds. The last two need a column "
        "that says which rows belong together, or when they happened.",
    ),
    ErrorCode(
        "P102",
        "no such learner in the comparison",
        "A comparison takes names of the catalog (`branchline learners` lists them), estimators, "
        "or a mapping from labels to either. Every label may be there once.",
    ),
    ErrorCode(
        "P103",
        "no such size of a training set",
        "A learning curve cuts training sets to shares of up to 1.0 or to numbers of rows of at "
        "least 2; no training set can be larger than the folds leave.",
    ),
    ErrorCode(
        "K021",
        "no order in time",
        "The column that says when rows happened must hold dates, times or numbers. Text that "
        "looks like dates is read as dates when it is written in one way throughout.",
    ),
    ErrorCode(
        "D130",
        "missing times",
        "Every row needs a moment when the past is to predict the future. Leave rows without one "
        "out, or test in another way.",
    ),
    ErrorCode(
        "D131",
        "results of another run",
        "A run is continued only with the same plan on the same rows: otherwise scores of "
        "different things would be put together. Begin anew, or give the same options as before.",
    ),
    ErrorCode(
        "D132",
        "nothing to compare",
        "No learner could be scored on any test set. The reasons are given; often a metric needs "
        "probabilities that no learner gives, or every test set holds one class only.",
    ),
    ErrorCode(
        "D133",
        "nothing sealed",
        "Rows are sealed by chance, each with the given probability. With few rows, or a very "
        "small or large share, all may fall on one side.",
    ),
    ErrorCode(
        "D134",
        "test set opened before",
        "A sealed test set answers one question once. Choosing again after a look makes the next "
        "score too good. A further look is possible, but it is written down and shown in reports.",
    ),
    ErrorCode(
        "D135",
        "no record of a sealed test set",
        "The file should hold the key by which rows were sealed and the looks so far. It is "
        "missing or was changed; without it nobody can tell which rows were set aside.",
    ),
    ErrorCode(
        "P105",
        "no such row",
        "Rows are counted from 0, the header not counted: the first row is 0.",
    ),
    ErrorCode(
        "P106",
        "no tree",
        "The verb `tree` grows decision trees: tree, c45, cart, id3, one_rule and stump. Other "
        "learners are fitted by `fit`.",
    ),
    ErrorCode(
        "P107",
        "no such format of predictions",
        "Predictions are written as .csv, .parquet or .json, by the ending of the file's name.",
    ),
    ErrorCode(
        "P108",
        "no bootstrap to estimate from",
        "The .632 and .632+ estimates need classes, predicted by models fitted on bootstrap "
        "samples: compare with resampling='bootstrap' and some dozens of repeats.",
    ),
    ErrorCode(
        "P021",
        "one row at a time",
        "explain says why one row is predicted as it is. Give it a table of one row, such as "
        "Table(X).rows([0]), or a mapping of column names to values.",
    ),
    ErrorCode(
        "P090",
        "no such learner",
        "The catalog has no learner of this name. Capitals, spaces and underscores do not matter; "
        "branchline learners lists all names.",
    ),
    ErrorCode(
        "P091",
        "a task the learner does not have",
        "A learner predicts classes (classification), numbers (regression) or both. The message "
        "names the learners that can do what was asked.",
    ),
    ErrorCode(
        "P092",
        "nothing in the catalog is called so",
        "catalog.find was asked for a family, or for something that learners handle, that does not "
        "exist. The message lists what there is.",
    ),
    ErrorCode(
        "P050",
        "too many products of columns",
        "A polynomial basis has a term for each product of up to ``degree`` encoded terms; their "
        "number grows with the power of the degree. Use a lower degree, fewer columns, "
        'interactions_only=True, or kind="rbf".',
    ),
    ErrorCode(
        "P051",
        "too many columns to try all subsets",
        "The best subset of k columns is found among 2^k subsets, most of which a bound rules out "
        "unseen. Beyond 25 columns it may take hours; forward and backward selection take seconds.",
    ),
    ErrorCode(
        "D100",
        "classes of a later batch",
        "partial_fit met a class that is not among those given with classes= at the first batch, "
        "or classes of another kind (numbers after text). Leave classes out, and new ones are "
        "learnt as they come.",
    ),
    ErrorCode(
        "D101",
        "weights too large to be counted",
        "Naive Bayes counts weights without rounding. The weights of all batches together may come "
        "to 2^62 units: 1 for whole weights, else 2^-40 of the largest weight of the first batch "
        "with fractions. Give weights of about the same size to every batch.",
    ),
    ErrorCode(
        "P030",
        "prior probabilities of classes",
        "priors must be a mapping that gives every class of the target a finite number above 0, "
        "and names nothing else. Shares are taken, so {'good': 2, 'bad': 1} is fine.",
    ),
    ErrorCode(
        "P031",
        "numeric changed between batches",
        "A model begun with numeric='gaussian' keeps means and deviations only; the other settings "
        "need the values themselves, so one cannot go on with the other. Fit anew.",
    ),
    ErrorCode(
        "P032",
        "classes changed between batches",
        "classes= lists all classes that will ever come, at the first call of partial_fit. A later "
        "call must give the same list, or none.",
    ),
    ErrorCode(
        "P080",
        "a learner named in an ensemble",
        "An ensemble names a learner that the catalog does not have, or one that cannot do the "
        "task. branchline.catalog.names() lists the learners; an estimator can be given instead.",
    ),
    ErrorCode(
        "P081",
        "labels of learners",
        "The learners of an ensemble are told apart by their labels, also in set_params. A label "
        "must be there once, hold no two underscores in a row, and not be the name of a "
        "parameter. Without labels they are made up.",
    ),
    ErrorCode(
        "P082",
        "a member that takes no weights",
        "sample_weight is handed to every member of an ensemble, but one of them (nearest "
        "neighbours, a neural network) cannot use weights. Fit without them, or choose another "
        "learner in its place.",
    ),
    ErrorCode(
        "P083",
        "weights of members",
        "The weights or prior of an ensemble hold one number for each member: finite, at least 0, "
        "and not all 0. Only their ratios matter.",
    ),
    ErrorCode(
        "P084",
        "a learner for the other task",
        "An ensemble of classifiers can hold classifiers only, an ensemble of regressors "
        "regressors only.",
    ),
    ErrorCode(
        "P085",
        "parts of a model cannot be counted",
        "The Bayesian information criterion charges for each part of a model (leaf, weight). "
        "Estimators of other libraries do not say how many they have; evidence by folds needs no "
        "count.",
    ),
    ErrorCode(
        "D120",
        "a member predicts no number",
        "A member of an ensemble, most often an estimator of another library, predicts NaN or "
        "infinity. An average of such answers would mean nothing.",
    ),
    ErrorCode(
        "D121",
        "members and target do not fit together",
        "What members predict and what is true must have the same rows and the same classes, and "
        "be finite numbers where numbers are compared.",
    ),
    ErrorCode(
        "P040",
        "weights of columns",
        "column_weights of a learner by neighbours names columns of the table and gives each a "
        "number from 0 (the column does not count) to 1 000 000. Columns that are not named weigh "
        "1.",
    ),
    ErrorCode(
        "P041",
        "number of neighbours",
        "How many neighbours are asked for must be a whole number of at least 1 and, for "
        "kneighbors, at most the number of training rows.",
    ),
    ErrorCode(
        "P070",
        "the training of a network diverged",
        "The weights of a neural network grew beyond all bounds, so it says nothing. The steps are "
        "too long: set a smaller learning_rate, or solver='lbfgs', which finds its own length.",
    ),
    ErrorCode(
        "P071",
        "codes of an auto-encoder",
        "inverse_transform takes what transform returned: a table of finite numbers with one "
        "column for each of n_components.",
    ),
    ErrorCode(
        "P110",
        "a report's format",
        "A report is written as .html (one page for people, which needs nothing else), .md "
        "(Markdown, with numbers in place of pictures) or .json (for programs): the ending of the "
        "file says which.",
    ),
    ErrorCode(
        "P111",
        "a report of something else",
        "A report is made of a comparison, which compare returns. For one model alone, compare it "
        "with the baseline: compare(X, y, learners=[model]).",
    ),
    ErrorCode(
        "P112",
        "a model that does not belong to the comparison",
        "The model that a report explains must be fitted on the columns and the target of the "
        "comparison. Leave it out, and the recommended learner is fitted on all rows.",
    ),
    ErrorCode(
        "P113",
        "title or command of a report",
        "The title of a report and the command that made it are text, or None. They are shown as "
        "they are.",
    ),
    ErrorCode(
        "P060",
        "prior probabilities",
        "priors must give each class of the target a probability above 0, and these must have a "
        "sum of 1. Without priors, classes are taken to be as frequent as in the training rows.",
    ),
    ErrorCode(
        "P061",
        "the first partial_fit needs all classes",
        "Rows may come in parts, and the first part need not hold every class. So the first call "
        "of partial_fit must be given the classes that will ever come.",
    ),
    ErrorCode(
        "D115",
        "a class that was not announced",
        "partial_fit was given a target with a class that is not among the classes of its first "
        "call. Begin anew with all classes, or leave these rows out.",
    ),
    ErrorCode(
        "P120",
        "a function that is known, and gives something else",
        "To take an error apart by simulation, the function must give one finite number for each "
        "row that is drawn. Its inputs may be any table.",
    ),
    ErrorCode(
        "P121",
        "bias and variance need squared error",
        "Error = bias² + noise + variance holds for squared error only. The learner must predict "
        "numbers; for a classifier, predict the probability of one class as a number.",
    ),
    ErrorCode(
        "P122",
        "what a demonstration was given",
        "A curve needs a name and values, samples must leave rows out, and points to be shattered "
        "must be few, finite and, to refute, more than the VC dimension. The message says which.",
    ),
    ErrorCode(
        "P123",
        "a reproduction that there is not",
        "Published tables are reproduced by name, and their learners are chosen by name. The "
        "message lists the names.",
    ),
    ErrorCode(
        "P086",
        "a threshold for more than two classes",
        "A threshold on a probability parts two classes. With more, errors are weighed by costs: a "
        "tree with costs= decides among any number of classes for the least expected cost.",
    ),
    ErrorCode(
        "P087",
        "a threshold without probabilities",
        "A threshold is put on the probability of a class, so the learner must give probabilities: "
        "`branchline learners` says which do.",
    ),
    ErrorCode(
        "P104",
        "thresholds where there are not two classes",
        "A comparison can choose each learner's threshold inside every training set only when the "
        "target has two classes. Leave threshold out, or give costs to a learner that takes them.",
    ),
    ErrorCode(
        "P130",
        "an option that is not understood",
        "Some options of the command line have a form of their own: --time-budget 60s, --seal 20%, "
        "--costs truth>said=5, --set max_depth=3, --require auc.low>=0.75. The message shows it.",
    ),
    ErrorCode(
        "P140",
        "a direction of monotone predictions does not fit",
        "monotonic_cst maps names of numeric columns to 1 (larger values, larger predictions), -1 "
        "(smaller ones) or 0 (free), or lists a direction for each column.",
    ),
    ErrorCode(
        "P141",
        "directions of several outputs",
        "Monotone predictions are defined for the probability of the second of two classes and for "
        "one number. Fit one model for each output, or leave out monotonic_cst.",
    ),
    ErrorCode(
        "P142",
        "no row is out of bag",
        "Out-of-bag estimates need rows that some tree has not seen. Set bootstrap=True, or "
        "max_samples below 1, and keep oob_score=True.",
    ),
    ErrorCode(
        "P143",
        "fewer trees than there are",
        "A warm start adds trees; it cannot take any away. Raise n_estimators, or set "
        "warm_start=False to begin anew.",
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
        "max_samples) cannot be joined with new ones: nobody could tell which rows they have not "
        "seen. Set warm_start=False to begin anew.",
    ),
    ErrorCode(
        "P150",
        "a loss of one's own that answers wrongly",
        "gradient_hessian(y, raw) must return two arrays of the shape of raw: finite numbers below "
        "2^127, no hessian below 0. initial and value are optional; early stopping needs value.",
    ),
    ErrorCode(
        "P151",
        "a learner that cannot be boosted",
        "The estimator of a sequence is the name of a learner or an estimator for the same task. "
        "One that takes no sample_weight can be given whole weights only when residuals are "
        "fitted.",
    ),
    ErrorCode(
        "P152",
        "a warm start that does not fit",
        "A warm start adds members: rows, weights, columns and the kind of members must be those "
        "of the earlier fit, and n_estimators at least the members there are. Set "
        "warm_start=False to begin anew.",
    ),
    ErrorCode(
        "P153",
        "a loss that does not fit",
        "The loss is not known for this task, has a parameter out of range, or is for two classes "
        "only. The message lists what is allowed.",
    ),
    ErrorCode(
        "P154",
        "groups of columns that cannot be used",
        "interaction_cst is a list of groups, each a list of column names (or numbers); columns of "
        "different groups never meet on a path. A column in no group stays alone.",
    ),
    ErrorCode(
        "P155",
        "rows to judge by that cannot be used",
        "eval_set is a pair of rows and targets with the columns of X and the classes of y. They "
        "judge each round and take no part in learning.",
    ),
    ErrorCode(
        "P156",
        "boosting that diverges",
        "Scores became larger than numbers can be, because each round steps farther than the loss "
        "is from its minimum. Use a smaller learning_rate, or more l2_regularization.",
    ),
    ErrorCode(
        "D150",
        "targets that the loss does not allow",
        "Poisson and Tweedie losses need targets of at least 0, gamma losses above 0, since the "
        "score is the logarithm of a mean.",
    ),
    ErrorCode(
        "P161",
        "a factor that kernels do not allow",
        "Kernels are added, multiplied with each other, and multiplied with finite numbers of at "
        "least 0. A negative factor would give lengths with negative squares, which no learner on"
        " kernels can use.",
    ),
    ErrorCode(
        "P162",
        "not a kernel",
        "A kernel is given by name (rbf, linear, poly, sigmoid, laplacian, precomputed), as an "
        "object of branchline.kernels, or as a function of two blocks of rows; sums and products "
        "are made of kernels only.",
    ),
    ErrorCode(
        "P163",
        "a power that need not be a kernel",
        "The exponent of a kernel is a whole number from 1 on. Roots and other powers of a "
        "positive semidefinite kernel need not be positive semidefinite.",
    ),
    ErrorCode(
        "P164",
        "columns of a kernel that are no names",
        "A kernel takes names of columns, each a text and each once; its other parameters go by "
        "name, as in RBF('height', gamma=0.5).",
    ),
    ErrorCode(
        "P165",
        "a model without leaves",
        "A tree kernel compares the leaves in which rows end. It needs a fitted tree, forest or "
        "boosted model whose apply(X) gives the leaf of each row.",
    ),
    ErrorCode(
        "P166",
        "a kernel function that answers wrongly",
        "A function on blocks gives a matrix of finite numbers, a row for each row of A and a "
        "column for each row of B; with vectorized=False it is called with two rows and gives a "
        "number. The function of reweighted takes one row.",
    ),
    ErrorCode(
        "P167",
        "features that cannot be written out",
        "Explicit features are known for linear kernels and for polynomial ones with coef0 of at "
        "least 0. low_rank finds features of any positive semidefinite kernel, up to a tolerance.",
    ),
    ErrorCode(
        "D160",
        "not a Gram matrix, or a pair that it does not hold",
        "A precomputed kernel is a square matrix of finite numbers over the training rows; later "
        "rows bring a column for each training row, in the same order. The kernel of two later "
        "rows is not known.",
    ),
    ErrorCode(
        "D161",
        "no column of texts",
        "A kernel on texts takes one column of texts. Name it when there are several; texts that "
        "look like numbers must be read as a category.",
    ),
    ErrorCode(
        "D162",
        "a kernel that is not symmetric",
        "A kernel gives two rows one value, in either order. A matrix that differs from its "
        "transpose by more than rounding is refused; average the two values if they mean the "
        "same.",
    ),
    ErrorCode(
        "D163",
        "kernel values too large for a number",
        "Inputs of large size, a high degree or large factors make kernel values that floating-"
        "point numbers cannot hold. Standardise the columns, or use a smaller gamma or degree.",
    ),
    ErrorCode(
        "D164",
        "a kernel that is not positive semidefinite",
        "low_rank needs a kernel that is positive semidefinite on the rows. is_psd(X) names a few"
        " rows that show it when it is not.",
    ),
    ErrorCode(
        "D165",
        "a string kernel too large for a number",
        "The texts have so many common parts that their sum exceeds the largest floating-point "
        "number: long texts with a decay above 1, or long subsequences of long texts. Shorten the"
        " texts, or choose a smaller decay or length.",
    ),
    ErrorCode(
        "D166",
        "too many symbols for a string kernel",
        "Kernels on texts number the symbols of all texts of a call with 32 bits: a column may "
        "hold at most 2147483647 characters. Use fewer or shorter texts.",
    ),
    ErrorCode(
        "D167",
        "not enough memory",
        "An array or a kernel asked for more memory than the machine, the container or the "
        "process may have. Use fewer rows, columns, classes or trees, or a machine with more "
        "memory. The error is a MemoryError too.",
    ),
    ErrorCode(
        "D440",
        "a forest too large for the memory",
        "A forest keeps, for each leaf of each tree, how many rows of each class it holds. With "
        "thousands of classes and leaves that is more than the memory there is. The first tree is "
        "grown and shows how many leaves to expect. Ask for fewer leaves (max_leaf_nodes, or a "
        "larger min_samples_leaf) or fewer trees, or use a machine with more memory.",
    ),
    ErrorCode(
        "P170",
        "solver does not suit the loss",
        "Newton's method needs a loss with a second derivative, so solver='newton' goes with the "
        "squared losses; solver='interior_point' is for the straight ones (hinge, "
        "epsilon_insensitive). solver='descent' takes both, and solver='auto' chooses by the "
        "number of terms.",
    ),
    ErrorCode(
        "P180",
        "the training rows are gone",
        "Exact leave-one-out solves the problem again without each support vector, and needs all "
        "training rows for it. A model file and a pickle hold support vectors alone: fit the "
        "model again.",
    ),
    ErrorCode(
        "P181",
        "a hard margin with something soft",
        "A hard margin allows no slack and has a bias, so squared slack and fit_intercept=False "
        "contradict it. Use margin='soft' with a large C, or leave the other parameter as it is.",
    ),
    ErrorCode(
        "P182",
        "a nu that the classes do not allow",
        "nu times half of the rows must fit into each class, since the weights of each class add "
        "up to it. Choose a nu of at most twice the share of the smaller class.",
    ),
    ErrorCode(
        "P183",
        "a grid that is not a list of numbers",
        "The values to try are a list of finite numbers above 0; each is tried once, in rising "
        "order.",
    ),
    ErrorCode(
        "D170",
        "classes that no plane separates",
        "A hard margin needs classes that overlap nowhere in the space of the kernel. Mixtures of"
        " rows of both classes that coincide prove that they do; use margin='soft', or a richer "
        "kernel.",
    ),
    ErrorCode(
        "P184",
        "a curve of more than two classes",
        "The area under the curve is of one class against one other. With more classes, choose C "
        "and gamma by accuracy, balanced_accuracy or f1_macro.",
    ),
    ErrorCode(
        "D171",
        "a kernel without a solution",
        "The kernel is not positive semidefinite on the rows, so that the objective falls without "
        "end. kernel.is_psd(X) names a few rows that prove it; use another kernel, or "
        "loss='hinge'.",
    ),
    ErrorCode(
        "D173",
        "separability not decided",
        "The search for a hard margin was stopped by max_iter or time_budget before it had either "
        "a separating plane or a proof that there is none.",
    ),
    ErrorCode(
        "P175",
        "alpha is too small for the kernel",
        "Kernel ridge regression needs alpha above the size of the most negative eigenvalue "
        "of the kernel matrix; a positive semidefinite kernel allows every alpha. Raise alpha"
        " as the message says, or use another kernel.",
    ),
    ErrorCode(
        "P176",
        "logistic regression on a kernel that is none",
        "With a kernel matrix that has negative eigenvalues the objective falls without end, "
        "so there is no best model. Use a positive semidefinite kernel: kernel.is_psd(X) "
        "tells.",
    ),
    ErrorCode(
        "P177",
        "no principal components",
        "Components are directions of positive variance; this kernel has large negative "
        "eigenvalues on the rows given. Use a positive semidefinite kernel: kernel.is_psd(X) "
        "tells.",
    ),
    ErrorCode(
        "P178",
        "kernel values beyond the digits of numbers",
        "C times the kernel's values is so large that the solver's equations lose all digits,"
        " as with polynomial kernels of raw numbers. Standardise the columns, or use a "
        "smaller C, gamma or degree.",
    ),
    ErrorCode(
        "P146",
        "the targets of leaves were not kept",
        "Quantiles come from the training targets in each leaf. Set keep_targets=True before "
        "fitting; it works for one output and makes the model larger.",
    ),
    ErrorCode(
        "D136",
        "no results to go on with",
        "A comparison that is interrupted, or given --run FILE, leaves its results and its options "
        "in a file. --resume and `branchline report` need that file as it was left.",
    ),
    ErrorCode(
        "D137",
        "a target that cannot be learnt",
        "Learners are compared by how well they tell rows apart. A target with one value only, or "
        "with another class in every row (a name, a number of an account), gives them nothing to "
        "do. Choose another column; numbers that were read as names need --task regression.",
    ),
    ErrorCode(
        "P310",
        "level of an interval",
        "The level is the part of new rows that an interval should hold: a number between 0 "
        "and 1 in Python (0.9), a percentage above 0 and below 100 on the command line "
        "(--interval 90). No interval with ends can hold all rows.",
    ),
    ErrorCode(
        "W001",
        "an identifier is set aside",
        "A column with (almost) as many different values as rows names the rows: a name, an "
        "account number, a ticket, a free text. A learner can only learn it by heart, which helps "
        "with no new row. compare leaves such columns out of the inputs. keep=['column'] (--keep "
        "column) uses the column all the same; drop it yourself (--drop column) to end the "
        "warning.",
    ),
    ErrorCode(
        "W002",
        "a column predicts the target almost alone",
        "One column by itself avoids almost all errors, or its missing cells tell the outcome. "
        "Often such a column was written down after the outcome was known, and will not be there "
        "when a prediction is needed: the scores are then too good to be true. Drop the column if "
        "so.",
    ),
    ErrorCode(
        "W003",
        "a copy of the target",
        "The values of one column determine the target completely. Most often it is the target in "
        "other words (a code, a text, a rounded number). Drop it, unless it is known before the "
        "outcome.",
    ),
    ErrorCode(
        "W004",
        "repeated rows",
        "Several rows are equal in every column, the target included. They are kept in the same "
        "fold and count as one in intervals, so no score is too good because of them. If they are "
        "the same case written down twice, remove the copies: a model weighs them twice.",
    ),
    ErrorCode(
        "W005",
        "a column with one value",
        "A column whose cells are all equal, or all missing, tells nothing about the target. It "
        "does no harm; drop it to make tables and reports shorter.",
    ),
    ErrorCode(
        "W006",
        "not all folds were finished",
        "The time budget (or Ctrl-C) ended the comparison early. Learners are compared on the "
        "folds that all of them have finished; a learner with fewer than half as many folds as "
        "most others is shown apart. More time, fewer learners or fewer folds finish the plan.",
    ),
    ErrorCode(
        "W007",
        "sealed rows are left out",
        "Rows of this file were sealed by compare --seal for one final test. Until then no "
        "comparison and no model sees them. The record of the seal is a file in the current "
        "folder.",
    ),
    ErrorCode(
        "W008",
        "few whole numbers as a target",
        "A target of a few different whole numbers may be an amount (children, stars) or the codes "
        "of classes. It is taken as an amount to predict. If the numbers are codes, ask for "
        "classification.",
    ),
    ErrorCode(
        "W009",
        "results are kept elsewhere",
        "The results of a comparison are kept in a run file, so that nothing is lost when it is "
        "interrupted. Where that file could not be written (a full disk, a folder without "
        "permission), it is kept in another folder, which the warning names.",
    ),
    ErrorCode(
        "W010",
        "few rows make nearly all of the squared error",
        "A few values of the target lie so far from all others that nearly the whole squared error "
        "comes from them, whatever a learner does with the other rows. rmse, mse and r2 then say "
        "little. Often such values are typing errors or codes for missing (99999): mend or remove "
        "them, or name the code with --missing. If they are real, choose --metric mae.",
    ),
    ErrorCode(
        "W011",
        "too good to be true",
        "The best learner makes practically no error on rows it had not seen. Most often some "
        "inputs together are the target: its parts (a sum), or values written down with the "
        "outcome. Drop those that are not known before the outcome.",
    ),
    ErrorCode(
        "W012",
        "a rare class",
        "A class has fewer rows than there are folds, so that some test sets hold none of it; or "
        "one class is so frequent that always predicting it has a high accuracy. The metrics auc "
        "and balanced_accuracy give the rare class its weight; only more rows of it tell how well "
        "it is predicted.",
    ),
    ErrorCode(
        "W013",
        "free text as an input",
        "The learners of the catalog take every different text as the name of a category. No two "
        "rows have the same text, so nothing is learnt from it. Support vector machines with a "
        "string kernel compare the parts of texts: SVC(10, kernel=Spectrum('column').normalised()) "
        "can be given to compare as a learner, from Python. Columns of numbers made from the text "
        "(its length, whether a word occurs) work with every learner.",
    ),
    ErrorCode(
        "W014",
        "a time column that does not look like a time",
        "The column that orders the rows in time holds fractions that are neither rising nor "
        "falling from row to row. Dates, years and counts are times. If the column is not a time, "
        "test sets of the future mean nothing: leave it out.",
    ),
    ErrorCode(
        "W015",
        "nothing to resume",
        "compare --resume goes on with the run file that an interrupted comparison left in the "
        "current folder (or that --run names). There is none: either the comparison was finished, "
        "or it was run in another folder. Everything is done from the beginning.",
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
        "--set NAME=VALUE sets a parameter of the learner's class. The message lists the "
        "parameters there are; branchline learners NAME says which class it is.",
    ),
    ErrorCode(
        "P302",
        "nothing to resume, and no target",
        "compare --resume takes its options from the run file of an interrupted comparison. There "
        "is no such file here, so the column to predict must be named.",
    ),
    ErrorCode(
        "W020",
        "texts that count as missing",
        "A column of numbers or dates has a few cells such as -, n/a, none or unknown. These texts "
        "are well-known marks for a missing value, so they count as missing, and the column stays "
        "numbers or dates. A model remembers the texts for later tables. To keep the column as "
        "names, say so: --kind NAME=category, or kinds={'NAME': 'category'}.",
    ),
    ErrorCode(
        "W021",
        "a few texts in a column of numbers or dates",
        "At least nine in ten cells of a column are numbers or dates, but a few hold other text. "
        "The column is therefore read as names, and learners see no order in them, which usually "
        "makes models worse. If the texts mean missing, name them: --missing TEXT on the command "
        "line, missing=[...] in read_table or Table. If they are mistakes, correct the cells.",
    ),
    ErrorCode(
        "W022",
        "nothing but names to learn from",
        "Every input column only names rows: a name, a number of an account, a free text. They are "
        "kept, because nothing else is left, but learners of numbers and categories can learn "
        "nothing from them for new rows. Add columns that describe the rows. Free text is learnt "
        "from with a string kernel in a support vector machine.",
    ),
    ErrorCode(
        "W023",
        "a last line that may hold totals",
        "The last line of a file begins with a word such as total, but its numbers are not the "
        "sums (or means) of their columns. It is kept, because it may be a row like any other. If "
        "it does hold totals, remove the line from the file.",
    ),
    ErrorCode(
        "P303",
        "a flag with a new name",
        "The flag was renamed, so that the same thing has the same name in Python and on the "
        "command line: --time is --time-budget (time_budget), --test is --resampling (resampling).",
    ),
    ErrorCode(
        "P160",
        "the time was too short",
        "The time budget ended before a single learner had finished one fold, so there is nothing "
        "to compare. Allow more time, or ask for quicker learners or fewer rows.",
    ),
    ErrorCode(
        "K022",
        "dates as a target",
        "Dates and times are inputs; no learner predicts them. When each date is a class of its "
        "own, read the column as a category; else predict a number, such as the days from a start.",
    ),
)

ERROR_CODES: dict[str, ErrorCode] = {
    entry.code: entry for entry in sorted(_ENTRIES, key=lambda entry: entry.code)
}
