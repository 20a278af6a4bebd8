"""Streams: learners that take each row once, drift detectors, and evaluation as rows come."""

from branchline.stream._adaptive_forest import AdaptiveForestClassifier
from branchline.stream._adaptive_hoeffding_tree import AdaptiveHoeffdingTreeClassifier
from branchline.stream._branch_words import Branch
from branchline.stream._column_changes import ColumnChange
from branchline.stream._drift_detectors import ADWIN, DDM, PageHinkley
from branchline.stream._drift_diary import DiaryEntry
from branchline.stream._evaluate_stream import evaluate_stream
from branchline.stream._hoeffding_tree import HoeffdingTreeClassifier
from branchline.stream._online_bagging import OnlineBaggingClassifier
from branchline.stream._online_boosting import OnlineBoostingClassifier
from branchline.stream._stream_chart import draw_results
from branchline.stream._stream_result import StreamResult
from branchline.stream._table_stream import TableStream, read_stream

__all__ = [
    "ADWIN",
    "DDM",
    "AdaptiveForestClassifier",
    "AdaptiveHoeffdingTreeClassifier",
    "Branch",
    "ColumnChange",
    "DiaryEntry",
    "HoeffdingTreeClassifier",
    "OnlineBaggingClassifier",
    "OnlineBoostingClassifier",
    "PageHinkley",
    "StreamResult",
    "TableStream",
    "draw_results",
    "evaluate_stream",
    "read_stream",
]
