"""Known processes solved: value iteration, policy iteration, a linear program.

V*(s) = max_a r(s, a) + γ Σ P(s' | s, a) V*(s'); a policy π has V = r_π + γ P_π V.

1. Value iteration repeats the first equation from V = 0. With γ < 1 no value is further off than
   γ / (1 − γ) times the last change.
2. Policy iteration solves the second equation exactly and improves the policy until no action is
   better (Howard, 1960).
3. Of actions that are equally good the first is taken; with γ = 1 one that leads to the end, since
   an episode could wait for ever among equally good actions.
4. The linear program min Σ V(s), V(s) ≥ r(s, a) + γ Σ P V, has the same solution. It is solved by
   another method (HiGHS), so it checks the others.
"""

from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import linprog
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import splu

from branchline._arrays import Bools, Floats, Places
from branchline._plain_numbers import count
from branchline._validation import Real, Whole, check_parameters
from branchline.decide._plan import Plan
from branchline.decide._process import MarkovDecisionProcess
from branchline.errors import DataError, Repair

__all__ = ["evaluate_policy", "linear_program", "policy_iteration", "value_iteration"]

# Actions this close (relative to the largest value) are equally good.
_EQUAL = 1e-11
# A probability below this is what rounding left.
_NO_CHANCE = 1e-12


def value_iteration(
    process: MarkovDecisionProcess,
    *,
    discount: float = 0.95,
    tolerance: float = 1e-10,
    max_iter: int = 100_000,
) -> Plan:
    """Solve a known process by value iteration.

    Parameters
    ----------
    process
        The process.
    discount
        What a reward is worth one step later (γ), from 0 to 1. With 1 each state needs a way to
        the end of the episode. Default 0.95.
    tolerance
        Stop when no value changes by more than this. Default 1e-10.
    max_iter
        Maximum number of passes over all states. Default 100000.

    See Also
    --------
    Plan : what to do in each state of a process, and what it is worth.

    Examples
    --------
    >>> from branchline.decide import MarkovDecisionProcess, value_iteration
    >>> rows = {
    ...     "state": ["far", "far", "near", "near"],
    ...     "action": ["walk", "wait", "walk", "wait"],
    ...     "next_state": ["near", "far", "home", "near"],
    ...     "reward": [-1, -1, 10, -1],
    ... }
    >>> process = MarkovDecisionProcess.from_table(rows, start="far")
    >>> value_iteration(process, discount=0.9).value_of("far")
    8.0
    """
    _check("value_iteration", discount, tolerance, max_iter)
    _refuse_endless(process, discount)
    values, change, step = np.zeros(process.n_states), np.inf, 0
    while change > tolerance and step < max_iter:
        better = _best(process.action_values(values, discount))
        change = float(np.abs(better - values).max(initial=0.0))
        values, step = better, step + 1
    _refuse_growing(process, discount, change, tolerance)
    bound = discount / (1 - discount) * change if discount < 1 else np.nan
    choice = greedy(process, values, discount, slack=max(_EQUAL, 10 * change))
    return Plan.of_values(process, discount, values, choice, "value iteration", step, bound)


def policy_iteration(
    process: MarkovDecisionProcess, *, discount: float = 0.95, max_iter: int = 1000
) -> Plan:
    """Solve a known process by policy iteration: the values are exact to rounding.

    Parameters
    ----------
    process
        The process.
    discount
        What a reward is worth one step later (γ), from 0 to 1. Default 0.95.
    max_iter
        Maximum number of policies. Default 1000.

    See Also
    --------
    Plan : what to do in each state of a process, and what it is worth.

    Examples
    --------
    >>> from branchline.decide import MarkovDecisionProcess, policy_iteration
    >>> rows = {
    ...     "state": ["far", "far", "near", "near"],
    ...     "action": ["walk", "wait", "walk", "wait"],
    ...     "next_state": ["near", "far", "home", "near"],
    ...     "reward": [-1, -1, 10, -1],
    ... }
    >>> process = MarkovDecisionProcess.from_table(rows, start="far")
    >>> policy_iteration(process, discount=0.9).value_of("far")
    8.0
    """
    _check("policy_iteration", discount, 0.0, max_iter)
    first = value_iteration(process, discount=discount, tolerance=1e-6)
    choice = first.choice
    values = policy_values(process, choice, discount)
    n_policies = 1
    while n_policies < max_iter:
        found = process.action_values(values, discount)
        gain = _best(found) - values
        better = gain > _EQUAL * max(1.0, float(np.abs(values).max(initial=0.0)))
        if not better.any():
            break
        choice = np.where(better, found.argmax(axis=1), choice)
        values = policy_values(process, choice, discount)
        n_policies += 1
    residual = float(np.abs(_best(process.action_values(values, discount)) - values).max())
    bound = residual / (1 - discount) if discount < 1 else np.nan
    return Plan.of_values(process, discount, values, choice, "policy iteration", n_policies, bound)


def evaluate_policy(process: MarkovDecisionProcess, policy: Any, *, discount: float = 0.95) -> Plan:
    """Return the exact value of a policy in every state.

    With ``discount=1`` the sum of rewards may have no limit. The states are refused where an
    episode comes to them; in states to which no episode comes the value is then NaN.

    Parameters
    ----------
    process
        The process.
    policy
        A plan, what ``q_learning`` or ``sarsa`` learned, or an action for each state: a mapping by
        name, or a sequence in the order of the states.
    discount
        What a reward is worth one step later (γ), from 0 to 1. Default 0.95.

    See Also
    --------
    Plan : what to do in each state of a process, and what it is worth.

    Examples
    --------
    >>> from branchline.decide import MarkovDecisionProcess, evaluate_policy
    >>> rows = {
    ...     "state": ["far", "far", "near", "near"],
    ...     "action": ["walk", "wait", "walk", "wait"],
    ...     "next_state": ["near", "far", "home", "near"],
    ...     "reward": [-1, -1, 10, -1],
    ... }
    >>> process = MarkovDecisionProcess.from_table(rows, start="far")
    >>> plan = evaluate_policy(process, {"far": "walk", "near": "walk"}, discount=0.9)
    >>> plan.value_of("far")
    8.0
    """
    _check("evaluate_policy", discount, 0.0, 1)
    choice = process.choice_of(policy)
    values = policy_values(process, choice, discount, everywhere=False)
    return Plan.of_values(process, discount, values, choice, "policy evaluation", 1, 0.0)


def linear_program(process: MarkovDecisionProcess, *, discount: float = 0.95) -> Plan:
    """Solve a known process as a linear program: a check by another method.

    Parameters
    ----------
    process
        The process.
    discount
        What a reward is worth one step later (γ), from 0 to 1. Default 0.95.

    See Also
    --------
    Plan : what to do in each state of a process, and what it is worth.

    Examples
    --------
    >>> from branchline.decide import MarkovDecisionProcess, linear_program
    >>> rows = {
    ...     "state": ["far", "far", "near", "near"],
    ...     "action": ["walk", "wait", "walk", "wait"],
    ...     "next_state": ["near", "far", "home", "near"],
    ...     "reward": [-1, -1, 10, -1],
    ... }
    >>> process = MarkovDecisionProcess.from_table(rows, start="far")
    >>> round(linear_program(process, discount=0.9).value_of("far"), 6)
    8.0
    """
    _check("linear_program", discount, 0.0, 1)
    n_states, acting = process.n_states, process.acting
    here = np.repeat(np.arange(n_states), process.n_actions)
    stay = sparse.csr_array((np.ones(len(here)), (np.arange(len(here)), here)),
                            shape=(len(here), n_states))  # fmt: skip
    used = np.flatnonzero(process.allowed.ravel())
    matrix = (discount * process.going_on - stay)[used]
    limits = [(None, None) if acts else (0.0, 0.0) for acts in acting]
    found = linprog(
        np.ones(n_states), A_ub=matrix, b_ub=-process.reward.ravel()[used], bounds=limits
    )
    if found.status != 0:
        raise _no_limit(process, ~reaches_end(process, process.allowed), "linear_program(process")
    values = np.asarray(found.x, dtype=np.float64)
    choice = greedy(process, values, discount, slack=1e-7)
    residual = float(np.abs(_best(process.action_values(values, discount)) - values).max())
    bound = residual / (1 - discount) if discount < 1 else np.nan
    return Plan.of_values(process, discount, values, choice, "linear program", 1, bound)


# -- what they share ------------------------------------------------------------------------------


def policy_values(
    process: MarkovDecisionProcess, choice: Places, discount: float, *, everywhere: bool = True
) -> Floats:
    """Return the solution of V = r_π + γ P_π V.

    With γ = 1 the sum of rewards of some states may have no limit. They are refused where an
    episode comes to them, or everywhere; else their value is NaN.
    """
    moves, pays = process.rows_of(choice)
    if discount < 1:
        return _solve(moves, pays, discount)
    resting, endless = _closed_circles(process, choice, moves, pays)
    endless = _coming_to(moves, endless)
    if endless.any() and (everywhere or process.start[endless].any()):
        raise _no_limit(process, endless, "evaluate_policy(process, policy")
    values = np.where(endless, np.nan, 0.0)
    inside = np.flatnonzero(~resting & ~endless)
    values[inside] = _solve(sparse.csr_array(moves[inside][:, inside]), pays[inside], 1.0)
    return values


def _closed_circles(
    process: MarkovDecisionProcess, choice: Places, moves: sparse.csr_array, pays: Floats
) -> tuple[Bools, Bools]:
    """Return the states that a policy never leaves: where nothing is paid, where something is."""
    links = sparse.csr_array(moves > _NO_CHANCE)
    n_circles, circle = connected_components(links, directed=True, connection="strong")
    every = np.arange(process.n_states)
    leaves = ~process.acting | (process.ending[every, choice] > _NO_CHANCE)
    here, after = links.nonzero()
    leaves[here[circle[here] != circle[after]]] = True
    is_open = np.zeros(n_circles, dtype=bool)
    is_open[circle[leaves]] = True
    is_paid = np.zeros(n_circles, dtype=bool)
    is_paid[circle[pays != 0]] = True
    return (~is_open & ~is_paid)[circle], (~is_open & is_paid)[circle]


def _coming_to(moves: sparse.csr_array, states: Bools) -> Bools:
    """Return the states from which an episode can come to some states."""
    while True:
        more = states | np.asarray(moves @ states.astype(np.float64) > 0)
        if (more == states).all():
            return states
        states = more


def _solve(moves: sparse.csr_array, pays: Floats, discount: float) -> Floats:
    if not len(pays):
        return pays
    matrix = sparse.csc_matrix(sparse.eye_array(len(pays)) - discount * moves)
    return np.asarray(splu(matrix).solve(pays), dtype=np.float64)


def greedy(
    process: MarkovDecisionProcess, values: Floats, discount: float, *, slack: float = _EQUAL
) -> Places:
    """Return the best action of each state; with γ = 1, among equals one that leads to the end."""
    found = process.action_values(values, discount)
    scale = max(1.0, float(np.abs(values).max(initial=0.0)))
    best = (found >= found.max(axis=1, keepdims=True) - slack * scale) & process.allowed
    if discount < 1:
        return np.asarray(best.argmax(axis=1), dtype=np.intp)
    return _towards_end(process, best)


def _towards_end(process: MarkovDecisionProcess, actions: Bools) -> Places:
    """Return for each state one of its actions that can lead to the end in the fewest steps."""
    choice: Places = actions.argmax(axis=1).astype(np.intp)
    done: Bools = ~process.acting
    fresh = actions & (process.ending > 0)
    while fresh.any():
        reached = fresh.any(axis=1) & ~done
        choice[reached] = fresh[reached].argmax(axis=1)
        done |= reached
        fresh = actions & _leads_to(process, done) & ~done[:, None]
    return choice


def reaches_end(process: MarkovDecisionProcess, actions: Bools) -> Bools:
    """Return whether the end can be reached from each state by the actions given."""
    ending: Bools = np.asarray((actions & (process.ending > _NO_CHANCE)).any(axis=1), dtype=bool)
    found: Bools = ~process.acting | ending
    while True:
        more: Bools = found | np.asarray((actions & _leads_to(process, found)).any(axis=1))
        if (more == found).all():
            return np.asarray(found, dtype=bool)
        found = more


def _leads_to(process: MarkovDecisionProcess, states: Bools) -> Bools:
    shares = process.going_on @ states.astype(float)
    return np.asarray(shares.reshape(process.allowed.shape) > 0, dtype=bool)


def _best(found: Floats) -> Floats:
    """Return the largest value of each state; 0 where no action is allowed."""
    best = found.max(axis=1)
    return np.where(np.isfinite(best), best, 0.0)


def _refuse_endless(process: MarkovDecisionProcess, discount: float) -> None:
    """Refuse, without discount, states that never end although something is paid in them."""
    if discount < 1:
        return
    forever = ~reaches_end(process, process.allowed)
    if np.any(process.reward[forever][process.allowed[forever]] != 0):
        raise _no_limit(process, forever, "value_iteration(process")


def _refuse_growing(
    process: MarkovDecisionProcess, discount: float, change: float, tolerance: float
) -> None:
    if discount == 1 and change > max(tolerance, 1e-6):
        raise _no_limit(process, np.ones(process.n_states, dtype=bool), "value_iteration(process")


def _no_limit(process: MarkovDecisionProcess, states: Bools, call: str) -> DataError:
    """Return the error for states without a limit; ``call`` begins the call that was made."""
    named = [process.states[at] for at in np.flatnonzero(states)[:5]]
    return DataError(
        f"The sum of rewards has no limit in {count(int(states.sum()), 'state')}: an episode can "
        "go on for ever, and discount=1 counts every reward in full.",
        code="D801",
        values=named,
        repair=Repair(f"{call}, discount=0.99)"),
    )


def _check(owner: str, discount: float, tolerance: float, max_iter: int) -> None:
    check_parameters(
        owner,
        {"discount": discount, "tolerance": tolerance, "max_iter": max_iter},
        {"discount": Real(0, 1), "tolerance": Real(0, 1), "max_iter": Whole(1, 10**9)},
    )
