"""A policy as a short tree: what it says, and what the shortening costs.

1. A tree learns the policy's action in each state. A state counts by what the wrong action would
   cost there, V(s) − min_a Q(s, a) (Bastani, Pu and Solar-Lezama, 2018), so the tree is right where
   it matters.
2. Both policies are judged from the same transitions and the same bootstrap samples.
"""

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from branchline._arrays import AnyArray
from branchline._intervals import Interval
from branchline._plain_numbers import number
from branchline.decide._experience import Experience
from branchline.decide._policy_value import fitted_values
from branchline.errors import BranchlineWarning
from branchline.tree import DecisionTreeClassifier

if TYPE_CHECKING:
    from branchline.decide._fitted_q import FittedQ

__all__ = ["PolicyTree", "distill"]

_N_BOOTSTRAPS = 60


@dataclass(frozen=True, eq=False)
class PolicyTree:
    """A policy that a person can read.

    Parameters
    ----------
    tree
        The tree: its leaves are actions.
    value
        What the tree is worth, with a 95 % interval.
    full_value
        What the whole policy is worth.
    cost
        What the shortening costs: the value of the whole policy minus that of the tree.
    agreement
        The share of steps in which both take the same action.

    See Also
    --------
    FittedQ : ``policy_tree`` returns it.

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
    ...     "episode": np.arange(200) // 5,
    ... }
    >>> model = FittedQ(discount=0.9, n_estimators=10, min_samples_leaf=1, episode="episode")
    >>> model = model.fit(table)
    >>> tree = model.policy_tree(table, max_leaf_nodes=2)
    >>> tree.tree.tree_.n_leaves
    1
    """

    tree: DecisionTreeClassifier
    value: Interval
    full_value: Interval
    cost: Interval
    agreement: float

    def predict(self, X: Any) -> AnyArray:
        """Return the action for each state."""
        return self.tree.predict(X)

    def sentence(self) -> str:
        """Return what the shortening costs, in a sentence."""
        if self.agreement == 1:
            return "The short tree acts as the whole policy in all steps."
        if self.cost.low > 0:
            verdict = f"The short tree costs {self.cost} of value."
        elif self.cost.high < 0:
            verdict = (
                f"The short tree is worth more than the whole policy, by {-self.cost.estimate:.3g}."
            )
        else:
            verdict = f"The short tree is statistically tied with the whole policy ({self.cost})."
        return f"{verdict} They agree in {number(100 * self.agreement, 3)} % of the steps."

    def __str__(self) -> str:
        worth = f"value {self.value}, the whole policy {self.full_value} (95 % intervals)"
        return f"{self.tree.to_text()}\n{worth}\n{self.sentence()}"


def distill(model: "FittedQ", seen: Experience, max_leaf_nodes: int) -> PolicyTree:
    """Return a policy as a short tree, and its price."""
    values = model.action_values(seen.states)
    actions = model.actions_[values.argmax(axis=1)]
    at_stake = values.max(axis=1) - values.min(axis=1)
    weights = at_stake + 1e-3 * max(float(at_stake.mean()), 1e-12)
    tree = DecisionTreeClassifier(max_leaf_nodes=max_leaf_nodes, min_samples_leaf=1, prune=None)
    with warnings.catch_warnings():  # one action everywhere is a policy, too
        warnings.simplefilter("ignore", BranchlineWarning)
        tree.fit(seen.states, actions, sample_weight=weights / weights.mean())
    whole, short = fitted_values([model, tree], seen, model.discount, _N_BOOTSTRAPS, 0)
    agreement = float(np.mean(tree.predict(seen.states) == actions))
    return PolicyTree(tree, short.interval, whole.interval, whole.minus(short), agreement)
