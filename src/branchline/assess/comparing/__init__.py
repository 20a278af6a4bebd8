"""Comparing learners: the plan, its execution, and what follows from the results.

What other rooms need of it is imported here, when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from branchline.assess.comparing import _selection_words as selection_words
    from branchline.assess.comparing._advice_words import (
        amount_words,
        choice_words,
        cost_words,
        preference_words,
    )
    from branchline.assess.comparing._against_all import AgainstAll
    from branchline.assess.comparing._baseline_words import ranks_words
    from branchline.assess.comparing._cautions import (
        data_warnings,
        result_warnings,
        set_aside_cautions,
        untold,
    )
    from branchline.assess.comparing._choices import (
        PREFERENCES,
        RESAMPLINGS,
        TASKS,
        THRESHOLDS,
        TUNINGS,
        check_learner_names,
    )
    from branchline.assess.comparing._chosen_inputs import refuse_too_many
    from branchline.assess.comparing._cluster_workers import workers_of
    from branchline.assess.comparing._compare import (
        carry_out,
        problem_for,
        settled,
        stored_comparison,
    )
    from branchline.assess.comparing._ease import Ease
    from branchline.assess.comparing._leaks import Suspicion, find_leaks, strength_alone
    from branchline.assess.comparing._memory_words import file_words, memory_words
    from branchline.assess.comparing._options import CompareOptions, option, option_of
    from branchline.assess.comparing._plan import Plan, plan_of
    from branchline.assess.comparing._plan_words import Forecast
    from branchline.assess.comparing._preselection import preselection_warnings, trace_of_choice
    from branchline.assess.comparing._problem import Problem, positive_place
    from branchline.assess.comparing._results import FoldResult, RunFile
    from branchline.assess.comparing._row_groups import row_groups
    from branchline.assess.comparing._selection import Selection
    from branchline.assess.comparing._speed import measured_speed
    from branchline.assess.comparing._spending import AnyWorkers, Time
    from branchline.assess.comparing._tie_words import group_title, groups_sentence
    from branchline.assess.comparing._tuned_threshold import settle_threshold
    from branchline.assess.comparing._words import comparison_text, tested_words, unfinished_words
    from branchline.assess.comparing._workers import Workers, started

_HOME_OF_NAME = {
    "AgainstAll": "_against_all",
    "AnyWorkers": "_spending",
    "Selection": "_selection",
    "CompareOptions": "_options",
    "Ease": "_ease",
    "FoldResult": "_results",
    "Forecast": "_plan_words",
    "PREFERENCES": "_choices",
    "Plan": "_plan",
    "Problem": "_problem",
    "RESAMPLINGS": "_choices",
    "RunFile": "_results",
    "Suspicion": "_leaks",
    "TASKS": "_choices",
    "THRESHOLDS": "_choices",
    "TUNINGS": "_choices",
    "Time": "_spending",
    "Workers": "_workers",
    "amount_words": "_advice_words",
    "carry_out": "_compare",
    "check_learner_names": "_choices",
    "choice_words": "_advice_words",
    "comparison_text": "_words",
    "cost_words": "_advice_words",
    "data_warnings": "_cautions",
    "file_words": "_memory_words",
    "find_leaks": "_leaks",
    "group_title": "_tie_words",
    "groups_sentence": "_tie_words",
    "measured_speed": "_speed",
    "memory_words": "_memory_words",
    "option": "_options",
    "option_of": "_options",
    "positive_place": "_problem",
    "preference_words": "_advice_words",
    "plan_of": "_plan",
    "preselection_warnings": "_preselection",
    "problem_for": "_compare",
    "ranks_words": "_baseline_words",
    "refuse_too_many": "_chosen_inputs",
    "result_warnings": "_cautions",
    "row_groups": "_row_groups",
    "set_aside_cautions": "_cautions",
    "settle_threshold": "_tuned_threshold",
    "settled": "_compare",
    "started": "_workers",
    "stored_comparison": "_compare",
    "strength_alone": "_leaks",
    "tested_words": "_words",
    "trace_of_choice": "_preselection",
    "unfinished_words": "_words",
    "untold": "_cautions",
    "workers_of": "_cluster_workers",
}

__all__ = [
    "PREFERENCES",
    "RESAMPLINGS",
    "TASKS",
    "THRESHOLDS",
    "TUNINGS",
    "AgainstAll",
    "AnyWorkers",
    "CompareOptions",
    "Ease",
    "FoldResult",
    "Forecast",
    "Plan",
    "Problem",
    "RunFile",
    "Selection",
    "Suspicion",
    "Time",
    "Workers",
    "amount_words",
    "carry_out",
    "check_learner_names",
    "choice_words",
    "comparison_text",
    "cost_words",
    "data_warnings",
    "file_words",
    "find_leaks",
    "group_title",
    "groups_sentence",
    "measured_speed",
    "memory_words",
    "option",
    "option_of",
    "plan_of",
    "positive_place",
    "preference_words",
    "preselection_warnings",
    "problem_for",
    "ranks_words",
    "refuse_too_many",
    "result_warnings",
    "row_groups",
    "selection_words",
    "set_aside_cautions",
    "settle_threshold",
    "settled",
    "started",
    "stored_comparison",
    "strength_alone",
    "tested_words",
    "trace_of_choice",
    "unfinished_words",
    "untold",
    "workers_of",
]


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> Any:
    if name == "selection_words":
        return import_module("branchline.assess.comparing._selection_words")
    if name in _HOME_OF_NAME:
        return getattr(import_module(f"branchline.assess.comparing.{_HOME_OF_NAME[name]}"), name)
    raise AttributeError(f"module 'branchline.assess.comparing' has no attribute {name!r}")
