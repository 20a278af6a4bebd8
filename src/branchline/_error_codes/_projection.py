"""Codes of axes."""

from branchline._error_codes._entry import ErrorCode

__all__ = ["ENTRIES"]

ENTRIES = (
    ErrorCode(
        "P690",
        "Too few components to draw",
        "The panels of independent components show two columns, two whitened axes and two "
        "components next to each other. The model has only one of them. Fit a table with two "
        "columns that vary, and ask for two components.",
    ),
    ErrorCode(
        "P740",
        "Colors of another number of rows",
        "Rows of a picture are colored by one value for each row: a column of the table that is "
        "drawn, or a list of the same length, in the same order.",
    ),
    ErrorCode(
        "P741",
        "Places on another number of axes",
        "To decode rows, inverse_transform needs one number for each axis of the model: what "
        "transform returns. The array has another number of columns, or numbers are missing.",
    ),
    ErrorCode(
        "P742",
        "Images that are not arrays of pixels",
        "A picture of images takes arrays with two dimensions, rows and columns of pixels, without "
        "missing numbers, and no captions or one for each image. Reshape a row of a table to the "
        "height and width of its image.",
    ),
    ErrorCode(
        "D720",
        "A file of images has another shape",
        "A reproduction reads photographs or digits from a file with a fixed layout. The file that "
        "was found does not hold the arrays that are expected. Take the file as it is published.",
    ),
    ErrorCode(
        "P743",
        "A reproduction without a picture",
        "branchline reproduce draws the reproductions that are pictures: eigenfaces, image-codes, "
        "orientation, stocks and threes. The others are tables.",
    ),
)
