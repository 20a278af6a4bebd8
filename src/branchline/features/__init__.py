"""Choosing inputs: rankings, and selectors that are repeated inside every training set."""

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
