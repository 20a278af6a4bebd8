"""Learning by trial: Q-learning and SARSA in a world with countable states.

After action a in state s with reward r and next state s', with step size α:

- Q-learning (Watkins, 1989): Q(s, a) += α (r + γ max_b Q(s', b) − Q(s, a)).
- SARSA (Rummery and Niranjan, 1994): the action b that is really taken next, in place of the best.

1. An episode takes the best action so far, or with probability ε any allowed one. ε falls in a
   straight line to ``last_exploration``.
2. The step size of a state and action falls with the number of its visits n: n^−``decay``. So
   the values settle although what happens is random.
3. An episode that is cut off is not an end: its last value counts.
"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from branchline._arrays import Floats, Places
from branchline._drawable import Drawable
from branchline._plain_numbers import count, number
from branchline._result_frame import Library, result_frame
from branchline._validation import Constraint, Real, Whole, check_parameters, check_seed
from branchline.charts import Chart
from branchline.decide._trial_chart import draw_returns
from branchline.decide._trials import World, world_of

__all__ = ["LearnedPolicy", "q_learning", "sarsa"]

_CHECKED: dict[str, Constraint] = {
    "n_episodes": Whole(1, 10**9),
    "discount": Real(0, 1),
    "exploration": Real(0, 1),
    "last_exploration": Real(0, 1),
    "decay": Real(0, 1),
    "max_steps": Whole(1, 10**9),
}


@dataclass(frozen=True, eq=False)
class LearnedPolicy(Drawable):
    """A policy learned by trial.

    Parameters
    ----------
    states, actions
        Their names.
    action_values
        The learned value of each action (column) in each state (row); −∞: not allowed.
    visits
        How often each action was tried in each state.
    returns
        The sum of rewards of each episode, while exploring.
    method
        "Q-learning" or "SARSA".

    See Also
    --------
    q_learning : learn a policy by trial with Q-learning.
    sarsa : learn a policy by trial with SARSA.

    Examples
    --------
    >>> from branchline.decide import MarkovDecisionProcess, q_learning
    >>> rows = {
    ...     "state": ["far", "far", "near", "near"],
    ...     "action": ["walk", "wait", "walk", "wait"],
    ...     "next_state": ["near", "far", "home", "near"],
    ...     "reward": [-1, -1, 10, -1],
    ... }
    >>> process = MarkovDecisionProcess.from_table(rows, start="far")
    >>> learned = q_learning(process, n_episodes=200, discount=0.9)
    >>> round(float(learned.action_values[0].max()), 2)
    8.0
    """

    states: tuple[Any, ...]
    actions: tuple[Any, ...]
    action_values: Floats
    visits: Places
    returns: Floats
    method: str

    @property
    def policy(self) -> dict[Any, Any]:
        """The best action of each state that was visited, by name."""
        seen = self.visits.sum(axis=1) > 0
        best = self.action_values.argmax(axis=1)
        return {s: self.actions[best[at]] for at, s in enumerate(self.states) if seen[at]}

    def actions_in_order(self) -> list[Any]:
        """Return an action for every state, visited or not, as ``evaluate_policy`` takes it."""
        return [self.actions[at] for at in self.action_values.argmax(axis=1)]

    def to_frame(self, library: Library = "pandas") -> Any:
        """Return a row for each visited state: its action, the learned value, visits."""
        seen = np.flatnonzero(self.visits.sum(axis=1))
        return result_frame(
            {
                "state": [self.states[at] for at in seen],
                "action": [self.policy[self.states[at]] for at in seen],
                "value": self.action_values[seen].max(axis=1),
                "visits": self.visits[seen].sum(axis=1),
            },
            library,
        )

    def _chart(self) -> Chart:
        """Draw the mean sum of rewards against the number of episodes."""
        return draw_returns(self.returns, self.method)

    def __str__(self) -> str:
        last = self.returns[-max(1, len(self.returns) // 10) :]
        return (
            f"{self.method}: {count(len(self.returns), 'episode')}, "
            f"{count(len(self.policy), 'state')} visited; mean sum of rewards in the last tenth "
            f"of the episodes {number(float(last.mean()))}, exploration included."
        )


def q_learning(
    environment: Any,
    *,
    n_episodes: int = 5000,
    discount: float = 0.95,
    exploration: float = 1.0,
    last_exploration: float = 0.05,
    decay: float = 0.6,
    max_steps: int = 1000,
    random_state: Any = 0,
) -> LearnedPolicy:
    """Learn a policy by trial with Q-learning.

    Parameters
    ----------
    environment
        A ``MarkovDecisionProcess``, which is simulated, or an environment of gymnasium with
        countable states and actions.
    n_episodes
        Number of episodes. Default 5000.
    discount
        What a reward is worth one step later (γ), from 0 to 1. Default 0.95.
    exploration, last_exploration
        The probability of a random action in the first and in the last episode. Defaults 1.0, 0.05.
    decay
        How fast step sizes fall with the number of visits n: n^−decay. 0 keeps them at 1, which is
        right only where nothing is random. Default 0.6.
    max_steps
        Maximum number of steps of an episode. Default 1000.
    random_state
        The seed. Default 0.

    See Also
    --------
    LearnedPolicy : a policy learned by trial.

    Examples
    --------
    >>> from branchline.decide import MarkovDecisionProcess, q_learning
    >>> rows = {
    ...     "state": ["far", "far", "near", "near"],
    ...     "action": ["walk", "wait", "walk", "wait"],
    ...     "next_state": ["near", "far", "home", "near"],
    ...     "reward": [-1, -1, 10, -1],
    ... }
    >>> process = MarkovDecisionProcess.from_table(rows, start="far")
    >>> learned = q_learning(process, n_episodes=200, discount=0.9)
    >>> learned.policy["far"], round(float(learned.action_values[0].max()), 2)
    ('walk', 8.0)
    """
    return _learn(environment, "Q-learning", locals())


def sarsa(
    environment: Any,
    *,
    n_episodes: int = 5000,
    discount: float = 0.95,
    exploration: float = 1.0,
    last_exploration: float = 0.05,
    decay: float = 0.6,
    max_steps: int = 1000,
    random_state: Any = 0,
) -> LearnedPolicy:
    """Learn a policy by trial with SARSA: values count the exploration that goes on.

    Parameters
    ----------
    environment, n_episodes, discount, exploration, last_exploration, decay, max_steps, random_state
        As in ``q_learning``.

    See Also
    --------
    LearnedPolicy : a policy learned by trial.

    Examples
    --------
    >>> from branchline.decide import MarkovDecisionProcess, sarsa
    >>> rows = {
    ...     "state": ["far", "far", "near", "near"],
    ...     "action": ["walk", "wait", "walk", "wait"],
    ...     "next_state": ["near", "far", "home", "near"],
    ...     "reward": [-1, -1, 10, -1],
    ... }
    >>> process = MarkovDecisionProcess.from_table(rows, start="far")
    >>> learned = sarsa(process, n_episodes=200, discount=0.9)
    >>> round(float(learned.action_values[0].max()), 1)
    7.8
    """
    return _learn(environment, "SARSA", locals())


def _learn(
    environment: Any, method: Literal["Q-learning", "SARSA"], given: dict[str, Any]
) -> LearnedPolicy:
    checked = {name: given[name] for name in _CHECKED}
    check_parameters("q_learning" if method == "Q-learning" else "sarsa", checked, _CHECKED)
    seed = check_seed(given["random_state"])
    learning = _Learning(world_of(environment, seed), seed, method, checked)
    returns = [learning.episode(at / max(1, given["n_episodes"] - 1))
               for at in range(given["n_episodes"])]  # fmt: skip
    world = learning.world
    values = np.where(world.allowed, np.array(learning.values), -np.inf)
    visits = np.array(learning.visits, dtype=np.intp)
    return LearnedPolicy(world.states, world.actions, values, visits, np.array(returns), method)


class _Learning:
    """The values so far; lists of lists, because single cells of arrays are slow in Python."""

    def __init__(self, world: World, seed: int, method: str, given: dict[str, Any]) -> None:
        self.world, self._given, self._is_sarsa = world, given, method == "SARSA"
        self._rng = np.random.default_rng([seed, 1])
        shape = world.allowed.shape
        self.values = np.where(world.allowed, 0.0, -np.inf).tolist()
        self.visits = np.zeros(shape, dtype=int).tolist()
        self._actions = [np.flatnonzero(row).tolist() for row in world.allowed]
        self._draws: list[float] = []

    def _draw(self) -> float:
        if not self._draws:
            self._draws = self._rng.random(4096).tolist()
        return self._draws.pop()

    def _act(self, state: int, exploration: float) -> int:
        """Return the best action, any of several that are equal, or with ε any allowed one."""
        actions: list[int] = self._actions[state]
        if self._draw() >= exploration:
            values = self.values[state]
            best = max(values)
            actions = [action for action in actions if values[action] == best]
        return actions[int(self._draw() * len(actions))]

    def episode(self, progress: float) -> float:
        """Make one episode; return its sum of rewards."""
        given, values, visits = self._given, self.values, self.visits
        first, last = given["exploration"], given["last_exploration"]
        exploration = first + (last - first) * progress
        state, total = self.world.reset(), 0.0
        if not self._actions[state]:
            return 0.0
        action = self._act(state, exploration)
        for _ in range(given["max_steps"]):
            after, reward, ended, is_cut = self.world.step(action)
            total += reward
            follows = 0 if ended else self._act(after, exploration)
            later = values[after][follows] if self._is_sarsa else max(values[after])
            aim = reward if ended else reward + given["discount"] * later
            visits[state][action] += 1
            size = visits[state][action] ** -given["decay"]
            values[state][action] += size * (aim - values[state][action])
            if ended or is_cut:
                break
            state, action = after, follows
        return total
