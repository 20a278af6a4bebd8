"""Decisions in sequence: known processes solved, policies learned from trials or from a table."""

from branchline.decide._dynamic_programming import (
    evaluate_policy,
    linear_program,
    policy_iteration,
    value_iteration,
)
from branchline.decide._fitted_q import FittedQ
from branchline.decide._plan import Plan
from branchline.decide._policy_tree import PolicyTree
from branchline.decide._policy_value import PolicyValue, evaluate_off_policy
from branchline.decide._process import MarkovDecisionProcess
from branchline.decide._trial_learning import LearnedPolicy, q_learning, sarsa

__all__ = [
    "FittedQ",
    "LearnedPolicy",
    "MarkovDecisionProcess",
    "Plan",
    "PolicyTree",
    "PolicyValue",
    "evaluate_off_policy",
    "evaluate_policy",
    "linear_program",
    "policy_iteration",
    "q_learning",
    "sarsa",
    "value_iteration",
]
