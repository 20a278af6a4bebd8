"""What a policy is worth, from a table of transitions that it did not make (off-policy evaluation).

- ``fitted`` (fitted Q evaluation; Le, Voloshin and Yue, 2019): extra-trees learn
  Q(s, a) = r + γ Q(s', π(s')) again and again; the value is the mean of Q(s, π(s)) over the states
  in which episodes begin. The leaves of the last trees are then kept, so that the equation is one
  of averages over rows: it is solved again for each bootstrap sample of episodes.
- ``importance``: episodes that act as the policy would stand for it (``_importance_sampling``).

The interval is the estimate ± the 95 % quantile of t times the standard deviation over bootstrap
samples of whole episodes (of steps, where episodes are not known).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse, stats

from branchline._arrays import Floats, Places
from branchline._intervals import Interval
from branchline._plain_numbers import count, number
from branchline._trees._coded_trees import starts
from branchline._validation import OneOf, Real, Whole, check_parameters, check_seed
from branchline.decide._experience import Columns, Experience, with_action
from branchline.decide._importance_sampling import value_by_importance
from branchline.errors import DataError
from branchline.forest import ExtraTreesRegressor
from branchline.table import Table

__all__ = ["PolicyValue", "evaluate_experience", "evaluate_off_policy", "values_of_policies"]

_STEPS, _CLOSE, _LEAF = 500, 1e-4, 3


@dataclass(frozen=True)
class PolicyValue:
    """What a policy is worth, with its interval.

    Parameters
    ----------
    value
        The expected sum of discounted rewards from the start of an episode on.
    method
        "fitted" or "importance".
    n_episodes
        Number of episodes behind it; 0: episodes are not known, and every state is a start.
    agreement
        The share of steps in which the policy takes the action that was taken.
    n_effective
        With importance sampling: how many episodes of equal weight tell as much, on average over
        the steps; else NaN.

    See Also
    --------
    FittedQ : ``evaluate`` returns it.
    evaluate_off_policy

    Examples
    --------
    >>> import numpy as np
    >>> from branchline.decide import FittedQ, evaluate_off_policy
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
    >>> options = {"method": "importance", "episode": "episode"}
    >>> found = evaluate_off_policy(table, model, discount=0.9, **options)
    >>> found.n_episodes
    40
    """

    value: Interval
    method: str
    n_episodes: int
    agreement: float
    n_effective: float

    def __str__(self) -> str:
        source = count(self.n_episodes, "episode") if self.n_episodes else "all states as starts"
        return (
            f"value {self.value} (95 % interval, {source}, method {self.method!r}); the policy "
            f"does what was done in {number(100 * self.agreement, 2)} % of the steps"
        )


def evaluate_off_policy(  # noqa: PLR0913 (an option for each column)
    table: Any,
    policy: Any,
    *,
    discount: float = 0.95,
    method: str = "fitted",
    action: str = "action",
    reward: str = "reward",
    next_prefix: str = "next_",
    done: str | None = "done",
    episode: str | None = None,
    probability: Any = None,
    n_bootstraps: int = 100,
    random_state: Any = 0,
) -> PolicyValue:
    """Return what a policy would earn, from a table of transitions that others made.

    Parameters
    ----------
    table
        A table of transitions, as ``FittedQ`` takes it.
    policy
        A model with ``predict``, a function from states to actions, or one action for all states.
    discount
        What a reward is worth one step later (γ). Default 0.95.
    method
        "fitted" (default; every transition counts; relies on the trees) or "importance" (only
        episodes that act as the policy would; relies on nothing but the probabilities of actions).
    action, reward, next_prefix, done, episode
        The columns, as in ``FittedQ``.
    probability
        For "importance": the probability with which each action was taken, an array; default: it
        is estimated.
    n_bootstraps
        Number of bootstrap samples for the interval. Default 100.
    random_state
        The seed. Default 0.

    See Also
    --------
    PolicyValue : what a policy is worth, with its interval.

    Examples
    --------
    >>> import numpy as np
    >>> from branchline.decide import FittedQ, evaluate_off_policy
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
    >>> found = evaluate_off_policy(table, model, discount=0.9, episode="episode")
    >>> round(found.value.estimate, 1)
    0.7
    """
    seen = Experience.of_table(table, Columns(action, reward, next_prefix, done, episode))
    return evaluate_experience(
        policy,
        seen,
        discount=discount,
        method=method,
        probability=probability,
        n_bootstraps=n_bootstraps,
        random_state=random_state,
    )


def evaluate_experience(
    policy: Any,
    seen: Experience,
    *,
    discount: float,
    method: str = "fitted",
    probability: Any = None,
    n_bootstraps: int = 100,
    random_state: Any = 0,
) -> PolicyValue:
    """Return what a policy is worth; see ``evaluate_off_policy``."""
    check_parameters(
        "evaluate_off_policy",
        {"discount": discount, "method": method, "n_bootstraps": n_bootstraps},
        {
            "discount": Real(0, 1),
            "method": OneOf(("fitted", "importance")),
            "n_bootstraps": Whole(2, 100_000),
        },
    )
    seed = check_seed(random_state)
    chosen = _actions_of(policy, seen.states, seen)
    agreement = float(np.mean(chosen == seen.taken))
    n_episodes = 0 if seen.episode is None else int(seen.episode.max()) + 1
    n_effective = np.nan
    if method == "fitted":
        value = values_of_policies([policy], seen, discount, n_bootstraps, seed)[0]
    else:
        value, n_effective = value_by_importance(
            seen, chosen, discount, probability, (n_bootstraps, seed)
        )
    return PolicyValue(value, method, n_episodes, agreement, n_effective)


def _actions_of(policy: Any, states: Table, seen: Experience) -> Places:
    """Return the position of the policy's action in each state."""
    if hasattr(policy, "predict"):
        named = np.asarray(policy.predict(states))
    elif callable(policy):
        named = np.asarray(policy(states))
    else:
        named = np.full(states.n_rows, policy)
    place = {name: at for at, name in enumerate(seen.actions.tolist())}
    unknown = sorted({str(name) for name in named.tolist() if name not in place})
    if unknown:
        raise DataError(
            f"The policy takes {count(len(unknown), 'action')} that the table never shows.",
            code="D805",
            values=unknown[:5],
        )
    return np.array([place[name] for name in named.tolist()], dtype=np.intp)


# -- fitted ---------------------------------------------------------------------------------------


def values_of_policies(
    policies: list[Any], seen: Experience, discount: float, n_bootstraps: int, seed: int
) -> list[Interval]:
    """Return the value of each policy, all from the same bootstrap samples."""
    return [draw.interval for draw in fitted_values(policies, seen, discount, n_bootstraps, seed)]


@dataclass(frozen=True, eq=False)
class FittedValue:
    """The value of a policy and of its bootstrap samples."""

    estimate: float
    samples: Floats

    @property
    def interval(self) -> Interval:
        """The estimate with its 95 % interval."""
        return interval_of(self.estimate, self.samples)

    def minus(self, other: "FittedValue") -> Interval:
        """Return the difference to another policy, from the same samples."""
        return interval_of(self.estimate - other.estimate, self.samples - other.samples)


def interval_of(estimate: float, samples: Floats) -> Interval:
    """Return an estimate ± t times the deviation of its bootstrap samples."""
    half = float(stats.t.ppf(0.975, len(samples) - 1) * samples.std(ddof=1))
    return Interval(estimate, estimate - half, estimate + half)


def fitted_values(
    policies: list[Any], seen: Experience, discount: float, n_bootstraps: int, seed: int
) -> list[FittedValue]:
    """Return the fitted value of each policy with bootstrap samples of whole episodes."""
    draws = _bootstrap_weights(seen, n_bootstraps, seed)
    starts = seen.first_steps()
    found = []
    for policy in policies:
        here = _actions_of(policy, seen.states, seen)
        later = _actions_of(policy, seen.after, seen)
        averages = _Averages.learn(seen, here, later, discount, seed)
        estimate = averages.value(np.ones(seen.n_steps), starts)
        samples = np.array([averages.value(weights, starts) for weights in draws])
        found.append(FittedValue(estimate, samples))
    return found


def _bootstrap_weights(seen: Experience, n_bootstraps: int, seed: int) -> list[Floats]:
    rng = np.random.default_rng([seed, 2])
    groups = seen.groups()
    n_groups = int(groups.max()) + 1
    drawn = (np.bincount(rng.integers(0, n_groups, n_groups), minlength=n_groups)
             for _ in range(n_bootstraps))  # fmt: skip
    return [times[groups].astype(float) for times in drawn]


@dataclass(frozen=True, eq=False)
class _Averages:
    """Values as averages over rows that share leaves: Q(x) = mean over trees of leaf means."""

    seen: Experience
    discount: float
    train: sparse.csr_array  # leaves × rows: which rows a leaf averages
    later: sparse.csr_array  # rows × leaves: the leaves of (s', π(s')), weighted 1 / trees
    first: sparse.csr_array  # rows × leaves: the leaves of (s, π(s))

    @classmethod
    def learn(
        cls, seen: Experience, here: Places, later: Places, discount: float, seed: int
    ) -> "_Averages":
        """Fit extra-trees to Q = r + γ Q(s', π(s')), and keep their leaves."""
        target, tried = seen.rewards, with_action(seen.states, seen.actions, seen.taken)
        after = with_action(seen.after, seen.actions, later)
        start = with_action(seen.states, seen.actions, here)
        for _ in range(_n_refits(discount)):
            forest = ExtraTreesRegressor(
                n_estimators=30, min_samples_leaf=_LEAF, oob_score=False, random_state=seed
            ).fit(tried, target)
            values = np.where(seen.ends, 0.0, forest.predict(after))
            target = seen.rewards + discount * values
        parts = [_leaves(forest, rows) for rows in (tried, after, start)]
        train = sparse.csr_array((parts[0] > 0).T.astype(float))
        return cls(seen, discount, train, parts[1], parts[2])

    def value(self, weights: Floats, starts: Places) -> float:
        """Return the value over the starts when rows have these weights."""
        size = self.train @ weights
        size = np.where(size > 0, size, np.inf)
        going = np.where(self.seen.ends, 0.0, self.discount)
        values = np.zeros(self.seen.n_steps)
        scale = float(np.abs(self.seen.rewards).max(initial=0.0)) or 1.0
        for _ in range(_STEPS):
            means = (self.train @ (weights * (self.seen.rewards + going * values))) / size
            better = self.later @ means
            change = float(np.abs(better - values).max(initial=0.0))
            values = better
            if change < _CLOSE * scale:
                break
        at_start = (self.first @ means)[starts]
        shares = weights[starts]
        return float(shares @ at_start / shares.sum()) if shares.sum() > 0 else np.nan


def _n_refits(discount: float) -> int:
    """Trees need not be grown anew for all steps: the averages are solved to the end."""
    ahead = 100 if discount == 1 else int(np.ceil(np.log(0.05) / np.log(max(discount, 1e-9))))
    return min(60, max(1, ahead))


def _leaves(forest: ExtraTreesRegressor, rows: Table) -> sparse.csr_array:
    """Return a matrix of rows × leaves of all trees; each row sums to 1."""
    first = starts(forest.forest_.n_nodes)
    places = forest.apply(rows) + first[:-1]
    n_rows, n_trees = places.shape
    at = np.repeat(np.arange(n_rows), n_trees)
    shares = np.full(places.size, 1.0 / n_trees)
    return sparse.csr_array((shares, (at, places.ravel())), shape=(n_rows, int(first[-1])))
