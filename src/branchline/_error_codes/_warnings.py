"""Warnings (W), and optional libraries that are not installed (X)."""

from branchline._error_codes._entry import ErrorCode

__all__ = ["ENTRIES"]

ENTRIES = (
    ErrorCode(
        "W001",
        "an identifier is set aside",
        "A column with (almost) as many different values as rows names the rows: a name, an "
        "account number, a ticket, a free text. A learner can only memorize it, which does not "
        "help with new rows. compare leaves such columns out of the inputs. keep=['column'] "
        "(--keep column) uses the column nevertheless; drop it yourself (--drop column) to end "
        "the warning.",
    ),
    ErrorCode(
        "W002",
        "a column predicts the target almost alone",
        "One column by itself avoids almost all errors, or its missing cells reveal the outcome. "
        "Often such a column was recorded after the outcome was known, and will not be available "
        "when a prediction is needed: the scores are then too good to be true. If so, drop the "
        "column.",
    ),
    ErrorCode(
        "W003",
        "a copy of the target",
        "The values of one column determine the target completely. Most often it is the target in "
        "another form (a code, a text, a rounded number). Drop it, unless it is known before the "
        "outcome.",
    ),
    ErrorCode(
        "W004",
        "repeated rows",
        "Several rows are equal in every column, the target included. They are kept in the same "
        "fold and count as one in intervals, so no score is too good because of them. If they are "
        "the same case recorded twice, remove the copies: a model counts them twice.",
    ),
    ErrorCode(
        "W005",
        "a column with one value",
        "A column whose cells are all equal, or all missing, says nothing about the target. It "
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
        "A target of a few different whole numbers may be an amount (children, stars) or the "
        "codes of classes. It is taken as an amount to predict. If the numbers are codes, ask for "
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
        "A few values of the target lie so far from all others that nearly the whole squared "
        "error comes from them, whatever a learner does with the other rows. rmse, mse and r2 "
        "then mean little. Often such values are typing errors or codes for missing (99999): "
        "correct or remove them, or name the code with --missing. If they are real, choose "
        "--metric mae.",
    ),
    ErrorCode(
        "W011",
        "too good to be true",
        "The best learner makes practically no error on rows it had not seen. Most often some "
        "inputs together are the target: its parts (a sum), or values recorded with the outcome. "
        "Drop those that are not known before the outcome.",
    ),
    ErrorCode(
        "W012",
        "a rare class",
        "A class has fewer rows than there are folds, so that some test sets have no row of it; "
        "or one class is so frequent that always predicting it has a high accuracy. The metrics "
        "auc and balanced_accuracy give the rare class its weight; only more rows of it show how "
        "well it is predicted.",
    ),
    ErrorCode(
        "W013",
        "free text as an input",
        "The learners of the catalog take every different text as the name of a category. No two "
        "rows have the same text, so nothing is learned from it. Support vector machines with a "
        "string kernel compare the parts of texts: SVC(10, kernel=Spectrum('column')) can be "
        "given to compare as a learner, from Python. Columns of numbers made from the text (its "
        "length, whether a word occurs) work with every learner.",
    ),
    ErrorCode(
        "W014",
        "a time column that does not look like a time",
        "The column that orders the rows in time holds fractions that neither rise nor fall from "
        "row to row. Dates, years and counts are times. If the column is not a time, test sets of "
        "the future mean nothing: leave it out.",
    ),
    ErrorCode(
        "W015",
        "nothing to resume",
        "compare --resume continues the run file that an interrupted comparison left in the "
        "current folder (or that --run names). There is none: either the comparison was finished, "
        "or it was run in another folder. The comparison starts from the beginning.",
    ),
    ErrorCode(
        "W020",
        "texts that count as missing",
        "A column of numbers or dates has a few cells such as -, n/a, none or unknown. These "
        "texts are well-known marks for a missing value, so they count as missing, and the column "
        "stays numbers or dates. A model remembers the texts for later tables. To keep the column "
        "as names: --kind NAME=category, or kinds={'NAME': 'category'}.",
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
        "Every input column only names rows: a name, an account number, a ticket. They are kept, "
        "because nothing else is left, but nothing can be learned from them for new rows. Add "
        "columns that describe the rows.",
    ),
    ErrorCode(
        "W023",
        "a last line that may hold totals",
        "The last line of a file begins with a word such as total, but its numbers are not the "
        "sums (or means) of their columns. It is kept, because it may be a row like any other. If "
        "it does hold totals, remove the line from the file.",
    ),
    ErrorCode(
        "W025",
        "too few rows for an interval",
        "The interval is infinite, or the set holds all classes: with n independent rows, no "
        "finite interval can be trusted to contain more than n / (n + 1) of new rows on a side. A "
        "lower level, or more rows, gives finite intervals.",
    ),
    ErrorCode(
        "W030",
        "a text where a model learned numbers or dates",
        "When the model was fitted, the texts of this column were read as amounts, numbers or "
        "dates. A text of the later table is neither, so its cell counts as missing. This also "
        "happens in cross-validation: a rare text is in the test rows of one fold and not in its "
        "training rows. If the text means missing, name it in training, too: --missing TEXT on the "
        "command line, missing=[...] in read_table or Table. If it is a mistake, correct the cell.",
    ),
    ErrorCode(
        "W031",
        "a time series in folds without order",
        "A column has a moment for each row, at equal steps, so the rows are a time series. Folds "
        "mix past and future: a row is predicted from rows just before and after it, which is "
        "easier than predicting what comes next. If the model shall predict later rows, test it "
        "that way: --time-column NAME, or compare(X, y, time_column='NAME'). If it shall fill gaps "
        "between known moments, folds without order are right.",
    ),
    ErrorCode(
        "W035",
        "models are tested on their own training rows",
        "Resubstitution fits a model on all rows and tests it on the same rows. The score is too "
        "good: a model that has learned its rows by heart makes no error on them, whatever it is "
        "worth. Compare it with the score of cross-validation: the gap is how much the model "
        "overfits. To know how good a model is on new rows, leave resampling='resubstitution' "
        "(--resampling resubstitution) out.",
    ),
    ErrorCode(
        "W036",
        "ranks of rows that different models predicted",
        "Leave-one-out predicts each row with a model of its own. Without a positive row, the "
        "training set has fewer positive rows, so its model gives lower probabilities: just to "
        "the positive row that is tested. AUC, average precision, gain and lift compare rows "
        "across these models and are too low, far below a half where columns tell nothing. "
        "Where two classes are as frequent as each other, accuracy suffers, too. With at least "
        "four rows for each class, a row of each other class is left out of the training set as "
        "well, which mends this; this table has fewer. Use folds (resampling='folds'), which "
        "compare rows of one model only.",
    ),
    ErrorCode(
        "W050",
        "columns that look as if they were chosen with the target",
        "Nearly all columns have small p-values that crowd just below one limit, and columns that "
        "tell nothing are missing. A table looks like that when its columns were chosen by a test "
        "with the target on all rows, test rows included. Then every score is too good, however "
        "honestly models are tested: 20 of 1,000 columns of pure noise, chosen so, seem to predict "
        "classes with an error of 35 % instead of 50 %. Give the table with all columns and choose "
        "inside every training set: --select mutual_information on the command line, "
        "compare(X, y, select='mutual_information') in Python. If the columns were chosen without "
        "the target, or on other rows, nothing is wrong.",
    ),
    ErrorCode(
        "W097",
        "decisions do not follow the costs",
        "Costs are counted, but learners predict the most probable class: thresholds are off, or "
        "there are three or more classes. Another constant answer then costs less than the "
        "baseline, so that beating the baseline says little. With two classes use "
        "threshold='tuned'; with more, compare every cost with that of the constant answer in the "
        "warning, or use a learner that takes costs (DecisionTreeClassifier).",
    ),
    ErrorCode(
        "X001",
        "a library is not installed",
        "This needs an optional library. Install it with the command in the message, and try "
        "again.",
    ),
)
