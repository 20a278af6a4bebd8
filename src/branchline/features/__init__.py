"""Choosing inputs: rankings, and selectors that are repeated inside every training set.

Names are imported when they are first used (PEP 562): a comparison of all inputs needs few of them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from branchline.features._genetic_selector import GeneticSelector
    from branchline.features._make_selector import check_selector, make_selector, selector_words
    from branchline.features._markov_blanket import MarkovBlanketFilter
    from branchline.features._minimum_redundancy import MinimumRedundancy
    from branchline.features._model_selector import ModelSelector, RecursiveElimination
    from branchline.features._rank_selector import RankSelector
    from branchline.features._ranking import ColumnRanking, rank_columns
    from branchline.features._relevance import ColumnRelevance, Relevance, relevance
    from branchline.features._selected_learner import (
        SelectedClassifier,
        SelectedRegressor,
        selected_learner,
    )
    from branchline.features._selection_stability import (
        SelectionStability,
        selection_stability,
        stability_index,
        stability_of_choices,
    )
    from branchline.features._selector import Selector
    from branchline.features._selector_names import SELECTOR_NAMES, check_selector_name
    from branchline.features._sequential_selector import SequentialSelector
    from branchline.features._shadow_selector import ShadowSelector
    from branchline.features._size_path import SizePath

_HOME_OF_NAME = {
    "ColumnRanking": "_ranking",
    "ColumnRelevance": "_relevance",
    "GeneticSelector": "_genetic_selector",
    "MarkovBlanketFilter": "_markov_blanket",
    "MinimumRedundancy": "_minimum_redundancy",
    "ModelSelector": "_model_selector",
    "RankSelector": "_rank_selector",
    "RecursiveElimination": "_model_selector",
    "Relevance": "_relevance",
    "SELECTOR_NAMES": "_selector_names",
    "SelectedClassifier": "_selected_learner",
    "SelectedRegressor": "_selected_learner",
    "SelectionStability": "_selection_stability",
    "Selector": "_selector",
    "SequentialSelector": "_sequential_selector",
    "ShadowSelector": "_shadow_selector",
    "SizePath": "_size_path",
    "check_selector": "_make_selector",
    "check_selector_name": "_selector_names",
    "make_selector": "_make_selector",
    "rank_columns": "_ranking",
    "relevance": "_relevance",
    "selected_learner": "_selected_learner",
    "selection_stability": "_selection_stability",
    "selector_words": "_make_selector",
    "stability_index": "_selection_stability",
    "stability_of_choices": "_selection_stability",
}

__all__ = [
    "SELECTOR_NAMES",
    "ColumnRanking",
    "ColumnRelevance",
    "GeneticSelector",
    "MarkovBlanketFilter",
    "MinimumRedundancy",
    "ModelSelector",
    "RankSelector",
    "RecursiveElimination",
    "Relevance",
    "SelectedClassifier",
    "SelectedRegressor",
    "SelectionStability",
    "Selector",
    "SequentialSelector",
    "ShadowSelector",
    "SizePath",
    "check_selector",
    "check_selector_name",
    "make_selector",
    "rank_columns",
    "relevance",
    "selected_learner",
    "selection_stability",
    "selector_words",
    "stability_index",
    "stability_of_choices",
]


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> Any:
    if name in _HOME_OF_NAME:
        return getattr(import_module(f"branchline.features.{_HOME_OF_NAME[name]}"), name)
    raise AttributeError(f"module 'branchline.features' has no attribute {name!r}")
