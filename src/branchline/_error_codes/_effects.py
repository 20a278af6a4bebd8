"""Effect curves and replayed reports (D530 to D539, P530 to P539)."""

from branchline._error_codes._entry import ErrorCode

__all__ = ["ENTRIES"]

ENTRIES = (
    ErrorCode(
        "D530",
        "no rows to average over",
        "Effect curves are means over the rows of a table, and the table has none.",
    ),
    ErrorCode(
        "D531",
        "not a report that can be made again",
        "A report holds its data when it is written as .html or .json; the message says what is "
        "wrong with this file. Markdown reports hold only words.",
    ),
    ErrorCode(
        "D532",
        "a report without a recipe",
        "The comparison has learners or splits that the command line has no options for, or an "
        "earlier version wrote the report. The lines of Python in its last section make it again.",
    ),
    ErrorCode(
        "P530",
        "one draw makes no band",
        "The band of an effect curve comes from many draws. Ask for at least 2, or for 0 to "
        "have no band.",
    ),
    ErrorCode(
        "P531",
        "not a class of the model",
        "'positive' names the class whose probability is shown; the message lists the classes "
        "of the model.",
    ),
    ErrorCode(
        "P532",
        "a model without rounds or trees",
        "Errors are followed round by round (boosting) or tree by tree (forests). For other "
        "models, see validation_curve, which follows a parameter.",
    ),
    ErrorCode(
        "P533",
        "not a linear model with a price",
        "A path of weights runs along alpha (Ridge, Lasso, ElasticNet) or C (LogisticRegression).",
    ),
)
