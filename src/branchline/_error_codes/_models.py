"""Model files (M), and models that are used before they are fitted (N)."""

from branchline._error_codes._entry import ErrorCode

__all__ = ["ENTRIES"]

ENTRIES = (
    ErrorCode(
        "M001",
        "not a model file",
        "The file is not a zip archive written by model.save. Files made by pickle or joblib are "
        "not read: they can run code.",
    ),
    ErrorCode(
        "M002",
        "damaged model file",
        "The parts of the file do not agree with its own list of them: an entry is missing, "
        "duplicated, undeclared or changed. Save the model again.",
    ),
    ErrorCode(
        "M003",
        "model file too large",
        "The file declares that it needs more memory than allowed. If you trust it, raise "
        "max_bytes.",
    ),
    ErrorCode(
        "M004",
        "malformed schema in a model file",
        "The part of the file that describes the columns does not have the expected form; the "
        "file was damaged or written by something else.",
    ),
    ErrorCode(
        "M005",
        "impossible values in a model",
        "The file is well-formed, but it holds values that no fit could have produced, such as a "
        "node that is its own child. It is refused, because using it could give wrong numbers or "
        "crash.",
    ),
    ErrorCode(
        "M006",
        "model cannot be saved",
        "Model files hold numbers and names only. An estimator of another library, a function or "
        "an object as a parameter cannot be saved this way. Use joblib instead, and load its "
        "files only if you trust them.",
    ),
    ErrorCode(
        "M007",
        "model file of another version",
        "The file was written by a newer Branchline, whose format this version does not know.",
    ),
    ErrorCode(
        "M008",
        "model file cannot be read",
        "The file does not exist, is a folder, or the operating system refuses to read "
        "it. Relative paths start at the folder the program was started in.",
    ),
    ErrorCode(
        "M009",
        "model file cannot be written",
        "The folder does not exist, or the operating system does not allow writing there, for the "
        "reason given. Nothing was changed: an older file of that name is intact.",
    ),
    ErrorCode(
        "N001",
        "not fitted yet",
        "The estimator has not learned anything yet: call fit before predict. A fit that failed "
        "or was interrupted leaves the estimator unfitted.",
    ),
    ErrorCode(
        "N002",
        "training rows not kept",
        "why() lists the splits that were considered, for which it needs the training rows. "
        "Saved, copied and very large models do not keep them: fit again.",
    ),
)
