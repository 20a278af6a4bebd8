"""Charts: marks, files and models that cannot be drawn (P370 to P379, P920, D480 to D489)."""

from branchline._error_codes._entry import ErrorCode

__all__ = ["ENTRIES"]

ENTRIES = (
    ErrorCode(
        "D480",
        "no font on this machine",
        "A PNG is drawn with the fonts of the machine, and there are none. Install a font (on "
        "Debian: fonts-dejavu-core), or save the chart as .svg or .html, which the reader's "
        "machine draws.",
    ),
    ErrorCode(
        "D481",
        "no threshold to draw",
        "Impurity against a threshold needs a column with at least two different numbers and "
        "rows of at least two classes. "
        "Rows with a missing number are left out.",
    ),
    ErrorCode(
        "D482",
        "a column without any number",
        "A column is drawn over the range of its numbers, and all of its cells are missing or "
        "infinite. Choose another column.",
    ),
    ErrorCode(
        "D483",
        "a model of several numbers cannot be drawn",
        "A chart of boundaries or effects shows one number for each row. Fit a model of one "
        "target, and draw that.",
    ),
    ErrorCode(
        "D484",
        "lists of different lengths",
        "The target and the weights must have one entry for each row of the table that is drawn.",
    ),
    ErrorCode(
        "P370",
        "a mark of a chart that cannot be drawn",
        "A mark holds lists of numbers of one length (a grid of cells one more edge than cells). "
        "The message names the mark and what does not fit.",
    ),
    ErrorCode(
        "P371",
        "unknown ending of a picture's file",
        "The ending of the name chooses the format: .svg, .png, .html, and for charts .pdf.",
    ),
    ErrorCode(
        "P372",
        "not one or two columns",
        "Boundaries are drawn over one or two columns of the table; the others keep the values "
        "of one row. Name the columns: "
        "columns=('age', 'income'), on the command line --columns age,income.",
    ),
    ErrorCode(
        "P373",
        "not a row of the table",
        "The other columns keep the cells of one row: its number in the table, counted from 0, "
        "or a mapping from names to "
        "values. Without it they keep typical values.",
    ),
    ErrorCode(
        "P920",
        "a file name given to draw",
        "draw() returns a drawing: of a tree with the path of a given row, of a chart on given "
        'axes of matplotlib. save("tree.svg") of the drawing writes a file.',
    ),
)
