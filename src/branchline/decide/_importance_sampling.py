"""What a policy is worth by importance sampling: episodes that act as it would stand for it.

An episode has the weight w_t = Π π(a | s) / b(a | s) over its steps up to t. Of the episodes that
go on at step t, these weights give

    m_t = Σ w_t r_t / Σ w_t,    h_t = Σ w_t [the episode ends with step t] / Σ w_t,

the mean reward of the policy and the share of its episodes that ends. With S_t = Π_{k<t} (1 − h_k),
the share that comes to step t, the value is Σ γ^t S_t m_t.

1. Episodes that are over do not stand for those that go on: long episodes seldom act as the policy
   does all the time, so that weights over whole episodes know the short ones only.
2. n_t = (Σ w_t)² / Σ w_t² episodes of equal weight would tell as much. Where it falls below 2,
   nothing is known any more. The estimate goes on with the mean reward and the ends of the steps
   before; the mean reward of later steps may differ from it as single rewards of the table do.
3. The deviation comes from bootstrap samples of whole episodes, the quantile from Student's t with
   as many degrees of freedom as the steps have effective episodes.

D. Precup, R. Sutton and S. Singh, Eligibility traces for off-policy policy evaluation, 2000;
E. Kaplan and P. Meier, Nonparametric estimation from incomplete observations, 1958.
"""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy import stats

from branchline._arrays import Bools, Floats, Places
from branchline._intervals import Interval
from branchline._plain_numbers import number
from branchline._warn import warn
from branchline.decide._experience import Experience
from branchline.errors import BranchlineWarning, DataError
from branchline.forest import RandomForestClassifier

__all__ = ["value_by_importance"]

_FEW_EFFECTIVE, _LEAST_EFFECTIVE = 10, 2.0
_LEAST_FREEDOM = 1.0


def value_by_importance(
    seen: Experience, chosen: Places, discount: float, given: Any, draws: tuple[int, int]
) -> tuple[Interval, float]:
    """Return the value of a policy with its interval, and the mean effective number of episodes.

    Parameters
    ----------
    seen
        The transitions.
    chosen
        The position of the policy's action in each state.
    discount
        What a reward is worth one step later (γ).
    given
        The probability with which each action was taken; None: it is estimated.
    draws
        The number of bootstrap samples, and the seed.
    """
    if seen.episode is None:
        raise DataError(
            "Importance sampling needs the column of episodes: episode='…'.", code="D806"
        )
    probability = _taken_probability(seen) if given is None else np.asarray(given, dtype=float)
    ratio = np.where(chosen == seen.taken, 1.0 / np.clip(probability, 1e-3, 1.0), 0.0)
    steps = _Steps.of_table(seen, ratio, discount)
    worth = steps.discounts * steps.shares(np.ones((1, steps.n_episodes)))[0]
    n_effective = float(worth @ steps.effective / worth.sum()) if worth.sum() > 0 else 0.0
    if n_effective < _FEW_EFFECTIVE:
        warn(
            BranchlineWarning(
                f"Importance sampling: {number(n_effective, 2)} episodes of equal weight would "
                f"tell as much as these {steps.n_episodes}. The estimate is not reliable.",
                code="W090",
            )
        )
    return steps.interval(draws), n_effective


@dataclass(frozen=True, eq=False)
class _Steps:
    """Weights, rewards and ends: a row for each episode, a column for each step.

    Parameters
    ----------
    weights
        w_t; 0 once the episode is over.
    rewards, ends
        What was paid, and whether the episode ended.
    discounts
        γ^t.
    effective
        n_t of each step.
    n_known
        The number of steps of which enough is known.
    usual
        The standard deviation of the rewards of the table.
    """

    weights: Floats
    rewards: Floats
    ends: Bools
    discounts: Floats
    effective: Floats
    n_known: int
    usual: float

    @classmethod
    def of_table(cls, seen: Experience, ratio: Floats, discount: float) -> Self:
        """Return the steps of a table of transitions."""
        assert seen.episode is not None
        episodes = [np.flatnonzero(seen.episode == at) for at in range(int(seen.episode.max()) + 1)]
        longest = max(len(rows) for rows in episodes)
        weights, rewards = (np.zeros((len(episodes), longest)) for _ in range(2))
        ends = np.zeros((len(episodes), longest), dtype=bool)
        for at, rows in enumerate(episodes):
            weights[at, : len(rows)] = np.cumprod(ratio[rows])
            rewards[at, : len(rows)] = seen.rewards[rows]
            ends[at, : len(rows)] = seen.ends[rows]
        weights /= np.maximum(weights.max(axis=0), 1e-300)  # products may be huge
        squares = (weights**2).sum(axis=0)
        effective = weights.sum(axis=0) ** 2 / np.where(squares > 0, squares, 1.0)
        is_known = effective >= _LEAST_EFFECTIVE
        n_known = longest if is_known.all() else int(np.argmin(is_known))
        powers, usual = discount ** np.arange(longest), float(seen.rewards.std())
        return cls(weights, rewards, ends, powers, effective, n_known, usual)

    @property
    def n_episodes(self) -> int:
        """Number of episodes."""
        return len(self.weights)

    def _means(self, times: Floats, cells: Any) -> Floats:
        """Return the weighted mean of each step, for samples that take episodes some times."""
        sums, found = times @ self.weights, times @ (self.weights * cells)
        every = self.weights.sum(axis=0)
        whole = (self.weights * cells).sum(axis=0) / np.where(every > 0, every, 1.0)
        means = np.where(sums > 0, found / np.where(sums > 0, sums, 1.0), whole)
        later = np.arange(means.shape[1]) >= self.n_known
        size = np.where(later, 0.0, self.effective)
        pooled = means @ size / size.sum() if size.sum() > 0 else np.full(len(means), cells.mean())
        return np.where(later, pooled[:, None], means)

    def shares(self, times: Floats) -> Floats:
        """Return S_t: the share of the policy's episodes that comes to each step."""
        going_on = 1.0 - self._means(times, self.ends.astype(float))
        return np.cumprod(np.column_stack([np.ones(len(going_on)), going_on[:, :-1]]), axis=1)

    def values(self, times: Floats) -> Floats:
        """Return the value of each sample."""
        terms = self.shares(times) * self._means(times, self.rewards)
        return np.asarray(terms @ self.discounts, dtype=np.float64)

    def interval(self, draws: tuple[int, int]) -> Interval:
        """Return the value with its 95 % interval, from some bootstrap samples and a seed."""
        n_draws, seed = draws
        rng = np.random.default_rng([seed, 3])
        chosen = rng.integers(0, self.n_episodes, (n_draws, self.n_episodes))
        times = np.array([np.bincount(one, minlength=self.n_episodes) for one in chosen])
        estimate = float(self.values(np.ones((1, self.n_episodes)))[0])
        spread = np.hypot(self.values(times.astype(float)).std(ddof=1), self._unknown())
        half = float(stats.t.ppf(0.975, self._freedom()) * spread)
        return Interval(estimate, estimate - half, estimate + half)

    def _freedom(self) -> float:
        """Return the degrees of freedom: n_t − 1, each step by what it adds to the value."""
        share = (self.discounts * self.shares(np.ones((1, self.n_episodes)))[0])[: self.n_known]
        if not share.sum() > 0:
            return _LEAST_FREEDOM
        errors = share / np.sqrt(self.effective[: self.n_known])
        freedom = np.maximum(self.effective[: self.n_known] - 1, _LEAST_FREEDOM)
        return float(errors.sum() / (errors / freedom).sum())

    def _unknown(self) -> float:
        """Return the deviation by steps of which nothing is known: all may pay unusual rewards."""
        if self.n_known == len(self.discounts):
            return 0.0
        comes = self.shares(np.ones((1, self.n_episodes)))[0] * self.discounts
        return float(comes[self.n_known :].sum()) * self.usual


def _taken_probability(seen: Experience) -> Floats:
    """Return the probability of the action that was taken, from trees that did not see the row."""
    if len(seen.actions) == 1:
        return np.ones(seen.n_steps)
    forest = RandomForestClassifier(n_estimators=200, min_samples_leaf=10, random_state=0)
    forest.fit(seen.states, seen.taken)
    shares = np.asarray(forest.oob_decision_function_)
    known = shares[np.arange(seen.n_steps), seen.taken]
    overall = np.bincount(seen.taken) / seen.n_steps
    return np.where(np.isfinite(known), known, overall[seen.taken])
