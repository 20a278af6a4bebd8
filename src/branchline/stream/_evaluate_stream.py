"""Evaluation on a stream: each row is predicted first and learned from afterwards.

1. Rows come in their order. The model predicts a row, then it is told the truth and learns from it
   (test-then-train, or prequential; Dawid, 1984).
2. Hits are counted with a curve, a fading share and an interval (``_stream_scores``).
3. ADWIN watches the errors. When they rise, the rows before and after are compared column by
   column, and what the model did to its branches is noted (``_drift_diary``).
"""

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._validation import Constraint, Owner, Real, Whole, check_parameters, check_target
from branchline.errors import DataError, ParameterError, Repair
from branchline.stream._drift_diary import DiaryWriter
from branchline.stream._stream_classifier import StreamClassifier
from branchline.stream._stream_result import StreamResult
from branchline.stream._stream_scores import StreamScores
from branchline.stream._table_stream import TableStream
from branchline.table import Table, as_table

__all__ = ["evaluate_stream"]

_PART = 20_000  # rows of a table that are taken at a time


def evaluate_stream(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    target: str | None = None,
    classes: Any = None,
    fading: float = 0.999,
    drift_delta: float = 0.002,
    step: int = 100,
) -> StreamResult:
    """Predict each row of a stream before the model learns from it.

    Parameters
    ----------
    model
        A classifier with ``partial_fit``; it goes on from what it has learned, and is left fitted
        on all rows. Learners of this room take row after row; others predict ``step`` rows, then
        learn from them.
    X
        A table in the order of time, or a ``read_stream`` of a file.
    y
        The classes of the rows; None (default): they are in the column ``target``.
    target
        The name of the target column. Default None: ``y`` holds the classes.
    classes
        All classes that will ever come. None (default): those of ``y``; of a file, they are found
        by a first pass over it.
    fading
        What a row counts in the fading accuracy when one more came after it. Default 0.999: the
        last thousand rows or so.
    drift_delta
        How sensitive the search for changes is: the delta of ADWIN. Default 0.002.
    step
        How many rows other learners predict at a time. Default 100.

    See Also
    --------
    StreamResult : an evaluation on a stream.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.stream import HoeffdingTreeClassifier, evaluate_stream
    >>> rows = load_dataset("german-credit")
    >>> result = evaluate_stream(HoeffdingTreeClassifier(), rows, target="class")
    >>> str(result.accuracy)
    '0.731 [0.697, 0.763]'
    """
    given = {"fading": fading, "drift_delta": drift_delta, "step": step}
    limits: dict[str, Constraint] = {
        "fading": Real(0.5, 1),
        "drift_delta": Real(0, 1, low_open=True),
        "step": Whole(1),
    }
    check_parameters("evaluate_stream", given, limits)
    _refuse_without_batches(model)
    known, parts = _parts(model, X, y, target, classes)
    scores = StreamScores(len(known), float(fading))
    diary = DiaryWriter(float(drift_delta), model)
    seconds = 0.0
    for table, truth in parts:
        begin = time.process_time()
        predicted, n_skipped = _predict_and_learn(model, table, truth, known, int(step))
        seconds += time.process_time() - begin
        places = np.searchsorted(known, truth)
        scores.add(places[n_skipped:], predicted)
        diary.add(table, places[n_skipped:] != predicted, n_skipped)
    if not scores.n_rows:
        raise _no_rows()
    return StreamResult.of(model, scores, diary.finish(), seconds)


def _refuse_without_batches(model: Any) -> None:
    if not hasattr(model, "partial_fit"):
        raise ParameterError(
            f"{type(model).__name__} has no partial_fit: it cannot learn from one row after the "
            "other.",
            code="P851",
            values=[type(model).__name__],
            repair=Repair(
                "from branchline.stream import AdaptiveForestClassifier\n"
                "model = AdaptiveForestClassifier()"
            ),
        )


def _parts(
    model: Any, X: Any, y: Any, target: str | None, classes: Any
) -> tuple[npt.NDArray[Any], Iterator[tuple[Table, Any]]]:
    """Return all classes, and the rows with their truth, part by part."""
    if y is None and target is None:
        raise ParameterError(
            "evaluate_stream needs the truth: y, or the name of the target column.",
            code="P852",
            repair=Repair("result = evaluate_stream(model, X, y)"),
        )
    if isinstance(X, TableStream):
        if target is None:
            raise ParameterError(
                "The target of a file is one of its columns: name it.",
                code="P852",
                repair=Repair("result = evaluate_stream(model, X, target=X_target)"),
            )
        stream = X.with_category(target)
        if classes is None:
            classes = getattr(model, "classes_", None)
        known = stream.classes(target) if classes is None else np.unique(np.asarray(classes))
        if not len(known):
            raise _no_rows()
        return known, (table.split_target(target) for table in stream)
    table = as_table(X)
    if y is None:
        table, y = table.split_target(str(target))
    owner = Owner(type(model).__name__, None, False)
    if not table.n_rows:
        raise _no_rows()
    checked: Any = check_target(
        y, table.n_rows, task="classification", owner=owner, tell_one_class=False
    )
    truth = checked.classes[checked.class_of_row]
    if classes is None:
        classes = getattr(model, "classes_", checked.classes)
    cuts = range(0, table.n_rows, _PART)
    return np.unique(np.asarray(classes)), (
        (table.rows(slice(at, at + _PART)), truth[at : at + _PART]) for at in cuts
    )


def _no_rows() -> DataError:
    return DataError("The stream gave no rows.", code="D637")


def _predict_and_learn(
    model: Any, table: Table, truth: Any, known: npt.NDArray[Any], step: int
) -> tuple[npt.NDArray[np.intp], int]:
    """Return the predicted classes, and how many rows at the begin could not be predicted."""
    if isinstance(model, StreamClassifier):
        return model.predict_then_learn(table, truth, known).argmax(axis=1), 0
    found, n_skipped = [], 0
    for at in range(0, table.n_rows, step):
        rows, now = table.rows(slice(at, at + step)), truth[at : at + step]
        if hasattr(model, "classes_"):
            found.append(np.searchsorted(known, model.predict(rows)))
            model.partial_fit(rows, now)
        else:
            n_skipped += len(now)
            model.partial_fit(rows, now, classes=known)
    if not found:
        return np.zeros(0, dtype=np.intp), n_skipped
    return np.concatenate(found), n_skipped
