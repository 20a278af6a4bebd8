"""Decisions (P800 to P819, D800 to D809, W090)."""

from branchline._error_codes._entry import ErrorCode

__all__ = ["ENTRIES"]

ENTRIES = (
    ErrorCode(
        "D800",
        "probabilities of a decision process that do not add up",
        "For each state and action the probabilities of what happens next must be at least 0 and "
        "sum to 1. What is missing from 1 must be named: give the rows in which an episode ends "
        "as well.",
    ),
    ErrorCode(
        "D801",
        "a sum of rewards without a limit",
        "With discount=1 every state needs a way to the end of the episode. From the states named "
        "the episode can go on for ever while rewards add up. Use a discount below 1, or mark the "
        "states in which an episode ends.",
    ),
    ErrorCode(
        "D802",
        "a state without any action",
        "A state in which an episode goes on needs at least one action. A state without actions "
        "ends the episode.",
    ),
    ErrorCode(
        "D803",
        "a table of transitions lacks a column",
        "Each row of a table of transitions holds the state, the action, the reward and the next "
        "state. The next state has the columns of the state with a prefix (next_position beside "
        "position).",
    ),
    ErrorCode(
        "D804",
        "cells of a table of transitions that are missing",
        "The action and the reward of a transition must be known. Columns of states may have "
        "missing values.",
    ),
    ErrorCode(
        "D805",
        "an action that was never tried",
        "A policy can only be judged from a table in which its actions occur. Leave the action "
        "out, or add transitions in which it was taken.",
    ),
    ErrorCode(
        "D806",
        "episodes are needed",
        "Importance sampling compares whole episodes. The column that names the episode of each "
        "row must be given, with rows in the order of time.",
    ),
    ErrorCode(
        "P800",
        "a policy that does not match the process",
        "A policy names one action for each state that has actions, and the action must be allowed "
        "there.",
    ),
    ErrorCode(
        "P801",
        "an environment that cannot be used",
        "Tabular learning needs an environment of gymnasium with countable states and actions "
        "(Discrete spaces), or a MarkovDecisionProcess. For states with numbers, collect "
        "transitions in a table and use FittedQ.",
    ),
    ErrorCode(
        "P802",
        "an unknown state or action",
        "The name must be one of the states or actions of the process.",
    ),
    ErrorCode(
        "W090",
        "few episodes speak for a policy",
        "Importance sampling weighs episodes by how much more often the policy would have acted as "
        "was done. A few episodes have nearly all the weight, so the estimate is not reliable. "
        "method='fitted' uses every transition.",
    ),
)
