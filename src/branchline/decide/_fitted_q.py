"""Fitted Q iteration: a policy from a table of transitions (Ernst, Geurts and Wehenkel, 2005).

1. Q₀ = 0. Extra-trees learn Qₙ(s, a) from states and actions; the target of a row is
   r + γ max_b Qₙ₋₁(s', b), or r where the episode ends.
2. This is repeated until what lies further ahead is worth less than a hundredth. The trees of all
   repeats draw the same thresholds, so that values settle.
3. The policy takes the action of the largest value. ``policy_tree`` says it as a short tree.
"""

from typing import Any, ClassVar, Self

import numpy as np

from branchline._arrays import AnyArray, Floats
from branchline._base import Complexity, Estimator, FittedState, reports_progress
from branchline._member_state import member_from_state, member_to_state
from branchline._result_frame import Library, result_frame
from branchline._state import (
    classes_from_state,
    classes_to_state,
    column_attributes,
    malformed,
    number_from_state,
)
from branchline._validation import AnyOf, Constraint, Given, OneOf, Real, Whole, check_seed
from branchline.decide._experience import ACTION, Columns, Experience, action_column, with_action
from branchline.decide._policy_tree import PolicyTree, distill
from branchline.decide._policy_value import PolicyValue, evaluate_experience
from branchline.forest import ExtraTreesRegressor
from branchline.table import Schema, Table

__all__ = ["FittedQ"]

_WORTH_LESS, _MOST_STEPS, _STEPS_WITHOUT_DISCOUNT = 0.01, 400, 200


class FittedQ(Estimator):
    """A policy learned from a table of transitions, without trying anything.

    Each row of the table is one step: the state (any columns: numbers, categories, missing
    values), the action, the reward, and the next state in columns with a prefix. Extra-trees learn
    what each action is worth in each state.

    Use it when you have a record of decisions and their results. It cannot learn of actions that
    were never tried in similar states, and its own values are too high rather than too low: ask
    ``evaluate``, and be careful where the table comes from decisions that had reasons which the
    columns do not show.

    Parameters
    ----------
    discount
        What a reward is worth one step later (γ), from 0 to 1. Default 0.95.
    n_iterations
        Number of steps that are looked ahead; default: until what lies further ahead is worth less
        than a hundredth (at most 400), and 200 with ``discount=1``.
    n_estimators
        Number of trees. Default 50.
    min_samples_leaf
        Minimum number of rows in a leaf. 1 (default) is best where the same action always has the
        same result. Larger values smooth rewards and moves that vary by chance.
    action, reward
        The columns of the action and of the reward. Defaults "action", "reward".
    next_prefix
        How the columns of the next state begin. Default: ``next_``.
    done
        The column that says whether the episode ends with a row; None: no episode ends.
        Default "done".
    episode
        The column that names the episode of a row; needed for intervals over episodes.
        Default None: no episodes.
    random_state
        The seed. Default 0.
    n_jobs
        Number of threads; None (default): all cores. The result does not depend on it.

    Attributes
    ----------
    actions_
        The actions, sorted.
    changes_
        The mean change of values in each iteration.
    n_iter_
        Number of iterations.

    See Also
    --------
    q_learning : learn a policy by trial with Q-learning.
    evaluate_off_policy

    Examples
    --------
    >>> import numpy as np
    >>> from branchline.decide import FittedQ
    >>> place = np.tile(np.arange(5), 40)
    >>> step = np.repeat([-1, 1], 100)
    >>> after = np.clip(place + step, 0, 4)
    >>> table = {
    ...     "place": place,
    ...     "action": np.where(step > 0, "right", "left"),
    ...     "reward": (after == 4).astype(float),
    ...     "next_place": after,
    ...     "done": after == 4,
    ... }
    >>> model = FittedQ(discount=0.9, n_estimators=10, min_samples_leaf=1).fit(table)
    >>> model.predict({"place": [0, 2]}).tolist()
    ['right', 'right']
    >>> round(float(model.action_values({"place": [2]}).max()), 3)
    0.9
    """

    _opposite = None
    _constraints: ClassVar[dict[str, Constraint]] = {
        "discount": Real(0, 1),
        "n_iterations": AnyOf((OneOf((None,)), Whole(1, 1_000_000))),
        "n_estimators": Whole(1, 100_000),
        "min_samples_leaf": Whole(1, 10**9),
        "action": Given((str,), "a text"),
        "reward": Given((str,), "a text"),
        "next_prefix": Given((str,), "a text"),
        "done": Given((str,), "a text"),
        "episode": Given((str,), "a text"),
    }
    _left_out_of_files = frozenset({"changes_"})
    actions_: AnyArray
    changes_: Floats
    n_iter_: int
    forest_: ExtraTreesRegressor

    def __init__(  # noqa: PLR0913 (an argument for each parameter)
        self,
        *,
        discount: float = 0.95,
        n_iterations: int | None = None,
        n_estimators: int = 50,
        min_samples_leaf: int = 1,
        action: str = "action",
        reward: str = "reward",
        next_prefix: str = "next_",
        done: str | None = "done",
        episode: str | None = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.discount = discount
        self.n_iterations = n_iterations
        self.n_estimators = n_estimators
        self.min_samples_leaf = min_samples_leaf
        self.action = action
        self.reward = reward
        self.next_prefix = next_prefix
        self.done = done
        self.episode = episode
        self.random_state = random_state
        self.n_jobs = n_jobs

    @reports_progress
    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn from a table of transitions; ``y`` is ignored."""
        self._start(X)
        seen = self._experience(X)
        target, later, changes = seen.rewards, np.zeros(seen.n_steps), []
        tried = with_action(seen.states, seen.actions, seen.taken)
        for _ in range(self._n_ahead()):
            forest = self._forest().fit(tried, target)
            best = _action_values(forest, seen.after, seen.actions).max(axis=1)
            best = np.where(seen.ends, 0.0, best)
            changes.append(float(np.abs(best - later).mean()))
            later, target = best, seen.rewards + self.discount * best
        self._callback_fit_ctx.call_on_fit_task_end(estimator=self)
        self.__dict__.update(
            actions_=seen.actions,
            changes_=np.array(changes),
            n_iter_=len(changes),
            forest_=forest,
            **column_attributes(seen.states.schema),
        )
        return self

    def _experience(self, table: Any) -> Experience:
        names = (self.action, self.reward, self.next_prefix, self.done, self.episode)
        return Experience.of_table(table, Columns(*names))

    def _n_ahead(self) -> int:
        if self.n_iterations is not None:
            return int(self.n_iterations)
        if self.discount == 1:
            return _STEPS_WITHOUT_DISCOUNT
        if self.discount == 0:
            return 1
        return min(_MOST_STEPS, 1 + int(np.ceil(np.log(_WORTH_LESS) / np.log(self.discount))))

    def _forest(self) -> ExtraTreesRegressor:
        return ExtraTreesRegressor(
            n_estimators=self.n_estimators,
            min_samples_leaf=self.min_samples_leaf,
            oob_score=False,
            random_state=check_seed(self.random_state),
            n_jobs=self.n_jobs,
        )

    # -- using it ---------------------------------------------------------------------------------

    def action_values(self, X: Any) -> Floats:
        """Return what each action (column, as ``actions_``) is worth in each state (row)."""
        states = self._check_rows(X).table
        return _action_values(self.forest_, states, self.actions_)

    def predict(self, X: Any) -> AnyArray:
        """Return the best action for each state."""
        best: AnyArray = self.actions_[self.action_values(X).argmax(axis=1)]
        return best

    def to_frame(self, X: Any, library: Library = "pandas") -> Any:
        """Return a row for each state: the best action, and the value of each action."""
        values = self.action_values(X)
        columns = {f"value of {name}": values[:, at] for at, name in enumerate(self.actions_)}
        return result_frame({"action": self.predict(X), **columns}, library)

    def policy_tree(self, X: Any, *, max_leaf_nodes: int = 8) -> PolicyTree:
        """Return the policy as a short tree, and what the shortening costs.

        Parameters
        ----------
        X
            A table of transitions, as for ``fit``.
        max_leaf_nodes
            Maximum number of leaves.
        """
        self._check_fitted()
        return distill(self, self._experience(X), max_leaf_nodes)

    def evaluate(self, X: Any, **options: Any) -> PolicyValue:
        """Return what the policy is worth, from a table of transitions, with an interval.

        A table that the policy did not learn from gives an honest answer; on its own table the
        answer is too high. ``options`` are those of ``evaluate_off_policy``.
        """
        self._check_fitted()
        return evaluate_experience(self, self._experience(X), discount=self.discount, **options)

    # -- reading and saving -----------------------------------------------------------------------

    def _complexity(self) -> Complexity:
        return self.forest_.complexity()

    def _pack(self) -> FittedState:
        return {
            "classes": classes_to_state(self.actions_),
            "forest": member_to_state(self.forest_),
            "steps": float(self.n_iter_),
        }

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        actions = classes_from_state(state)
        steps = number_from_state(state, "steps")
        if not 1 <= steps <= 2**31 or steps != int(steps):
            raise malformed("the number of iterations is wrong")
        names = tuple(str(action) for action in actions.tolist())
        if len(set(names)) != len(names) or ACTION in schema.names:
            raise malformed("actions are written alike")
        known = Schema((*schema.fields, *action_column(names, ()).schema.fields), named=True)
        forest = member_from_state(state.get("forest"), known, None)
        if not isinstance(forest, ExtraTreesRegressor):
            raise malformed("the values of actions are not an extra-trees model")
        return {"actions_": actions, "forest_": forest, "n_iter_": int(steps)}


def _action_values(forest: ExtraTreesRegressor, states: Table, actions: AnyArray) -> Floats:
    """Return the value of each action (column) in each state (row)."""
    every = np.zeros(states.n_rows, dtype=np.intp)
    return np.column_stack(
        [forest.predict(with_action(states, actions, every + at)) for at in range(len(actions))]
    )
