"""The error of a classifier taken apart: bias, variance and noise of 0-1 loss.

At a case x let f_k be the true probability of class k, p_k the share of learning sets whose model
predicts k, y* the most probable class (Bayes model) and y_m the one predicted most often. Then
E(loss) = 1 − Σ f_k p_k, and two decompositions of it are in use:

Kohavi and Wolpert (1996), which adds up for any number of classes:

    noise = ½ (1 − Σ f²),  bias² = ½ Σ (f − p)²,  variance = ½ (1 − Σ p²).

With S learning sets, Σ p (1 − p) / (2 (S − 1)) is moved from bias² to variance, which makes
both estimates unbiased and leaves their sum as it is.

Domingos (2000): bias = [y_m ≠ y*], variance = P(prediction ≠ y_m), noise = P(truth ≠ y*), and

    error = bias + net variance + effect of the noise.

Variance adds to the error where y_m is right. Where y_m is wrong it helps: a model that differs
from it may be right. Net variance is the former less the latter. Noise turns some right predictions
into errors and some wrong ones into hits; its effect is E(loss) − P(prediction ≠ y*).
"""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from sklearn.base import is_classifier

from branchline._arrays import Floats
from branchline._plain_numbers import fixed
from branchline._validation import check_seed
from branchline.assess._keywords import checked_keywords
from branchline.assess.comparing._problem import checked_problem
from branchline.assess.theory._bias_variance import check_counts, check_left_out, seeded
from branchline.assess.theory._known_classes import KnownClasses
from branchline.errors import ParameterError, Repair

__all__ = [
    "ClassBiasVariance",
    "class_bias_variance_by_bootstrap",
    "class_bias_variance_by_simulation",
    "class_parts",
]


@dataclass(frozen=True)
class ClassBiasVariance:
    """The share of errors taken apart; print it to read it.

    Parameters
    ----------
    error
        The share of new cases predicted incorrectly: bias2 + variance + noise, and also
        main_bias + net_variance + noise_effect.
    bias2_and_noise, variance, noise
        The parts of Kohavi and Wolpert; the noise is None where the truth is not known.
    main_bias
        Domingos: the share of cases where the usual prediction differs from the best one.
    variance_where_right, variance_where_wrong
        How often a model differs from the usual prediction, where that is the best one; and how
        often it then predicts the best one, where the usual prediction is not.
    noise_effect
        What the noise adds to the error; 0 where the truth is not known.
    bayes_error
        The error of the best possible model; None where the truth is not known.
    n_sets, n_cases
        The number of learning sets and of cases.

    See Also
    --------
    class_bias_variance_by_bootstrap
    class_bias_variance_by_simulation

    Examples
    --------
    >>> from branchline.assess.theory import class_bias_variance_by_simulation, sine_classes
    >>> from branchline.tree import DecisionTreeClassifier
    >>> stump = DecisionTreeClassifier(max_depth=1, prune=None)
    >>> parts = class_bias_variance_by_simulation(stump, sine_classes(), n_rows=60, n_sets=5)
    >>> parts.n_sets
    5
    """

    error: float
    bias2_and_noise: float
    variance: float
    noise: float | None
    main_bias: float
    variance_where_right: float
    variance_where_wrong: float
    noise_effect: float
    bayes_error: float | None
    n_sets: int
    n_cases: int

    @property
    def bias2(self) -> float | None:
        """The squared bias of Kohavi and Wolpert; None where the noise is not known."""
        return None if self.noise is None else self.bias2_and_noise - self.noise

    @property
    def net_variance(self) -> float:
        """What variance adds to the error: where the usual prediction is right, less where not."""
        return self.variance_where_right - self.variance_where_wrong

    def __str__(self) -> str:
        if self.noise is None:
            first = f"bias² + noise {fixed(self.bias2_and_noise)}"
            last = "(Kohavi and Wolpert)"
        else:
            first = f"bias² {fixed(self.bias2 or 0.0)} + noise {fixed(self.noise)}"
            last = (
                f"(Kohavi and Wolpert; the best possible error is {fixed(self.bayes_error or 0)})"
            )
        noise = "" if self.noise is None else f" + noise {fixed(self.noise_effect)}"
        return (
            f"error {fixed(self.error)} = {first} + variance {fixed(self.variance)} {last}\n"
            f"error {fixed(self.error)} = bias {fixed(self.main_bias)} + variance "
            f"{fixed(self.variance_where_right)} − {fixed(self.variance_where_wrong)}{noise} "
            "(Domingos)"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers by name."""
        return {**asdict(self), "bias2": self.bias2, "net_variance": self.net_variance}


@checked_keywords
def class_bias_variance_by_simulation(
    model: Any,
    problem: KnownClasses,
    *,
    n_rows: int = 500,
    n_sets: int = 50,
    n_cases: int = 2000,
    random_state: Any = 0,
) -> ClassBiasVariance:
    """Take the error of a classifier apart on a problem whose truth is known.

    Parameters
    ----------
    model
        A classifier; it is copied. Where it has a random_state, every learning set has another.
    problem
        What is drawn: ``sine_classes()``, or a ``KnownClasses`` of your own.
    n_rows, n_sets, n_cases
        The rows of a learning set, the number of learning sets, and of new cases.
        Defaults 500, 50, 2000.
    random_state
        The seed of all draws. Default 0.

    See Also
    --------
    ClassBiasVariance : the share of errors taken apart.

    Examples
    --------
    >>> from branchline.assess.theory import class_bias_variance_by_simulation, sine_classes
    >>> from branchline.tree import DecisionTreeClassifier
    >>> stump = DecisionTreeClassifier(max_depth=1, prune=None)
    >>> parts = class_bias_variance_by_simulation(stump, sine_classes(), n_rows=60, n_sets=20)
    >>> parts.main_bias > parts.net_variance
    True
    """
    owner = "class_bias_variance_by_simulation"
    check_counts(owner, n_rows=n_rows, n_sets=n_sets, n_cases=n_cases)
    _refuse_others(model)
    seed = check_seed(random_state)
    cases, _ = problem.draw(n_cases, [seed, 0])
    truth = problem.truth(cases, n_cases)
    votes = np.zeros(truth.shape)
    for place in range(n_sets):
        X, y = problem.draw(n_rows, [seed, place + 1])
        predicted = seeded(model, seed, place).fit(X, y).predict(cases)
        votes += predicted[:, None] == np.asarray(problem.classes)
    return class_parts(truth, votes / n_sets, np.full(n_cases, n_sets), knows_noise=True)


@checked_keywords
def class_bias_variance_by_bootstrap(
    model: Any, X: Any, y: Any, *, n_sets: int = 50, random_state: Any = 0
) -> ClassBiasVariance:
    """Take the error of a classifier apart on a real table, where bias and noise stay together.

    Parameters
    ----------
    model
        A classifier; it is copied. Where it has a random_state, every learning set has another.
    X, y
        The table and its target; or, with ``y`` the name of a column, the table that holds it.
    n_sets
        The number of bootstrap samples. Rows that fewer than two samples left out are not tested.
        Default 50.
    random_state
        The seed of the samples. Default 0.

    See Also
    --------
    ClassBiasVariance : the share of errors taken apart.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.assess.theory import class_bias_variance_by_bootstrap
    >>> from branchline.bayes import NaiveBayes
    >>> parts = class_bias_variance_by_bootstrap(NaiveBayes(), load_dataset("iris"), "species")
    >>> parts.variance < parts.bias2_and_noise
    True
    """
    check_counts("class_bias_variance_by_bootstrap", n_sets=n_sets)
    _refuse_others(model)
    problem, seed = checked_problem(X, y, task="classification"), check_seed(random_state)
    classes = np.asarray(problem.classes)
    votes = np.zeros((problem.n_rows, len(classes)))
    for place in range(n_sets):
        draws = np.random.default_rng([seed, place])
        drawn, left_out = problem.folds.bootstrap(draws, seed)
        if len(left_out):
            rows = problem.rows(drawn)
            fitted = seeded(model, seed, place).fit(rows.table, rows.target)
            predicted = fitted.predict(problem.table.rows(left_out))
            votes[left_out] += predicted[:, None] == classes
    count = votes.sum(axis=1)
    tested = check_left_out(count, n_sets)
    truth = np.eye(len(classes))[problem.places[tested]]
    shares = votes[tested] / count[tested, None]
    return class_parts(truth, shares, count[tested], knows_noise=False)


def class_parts(
    truth: Floats, shares: Floats, count: Any, *, knows_noise: bool
) -> ClassBiasVariance:
    """Return the parts, from f and p of each case and the number of predictions behind p."""
    cases = np.arange(len(truth))
    best, usual = truth.argmax(axis=1), shares.argmax(axis=1)
    error = 1 - (truth * shares).sum(axis=1)
    spread = (shares * (1 - shares)).sum(axis=1) / 2
    moved = spread / (count - 1)  # E(p²) is larger than (E p)² by the variance of a share
    noise = (1 - (truth**2).sum(axis=1)) / 2
    bias2 = ((truth - shares) ** 2).sum(axis=1) / 2 - moved
    is_wrong, hits = usual != best, shares[cases, best]
    differs = 1 - shares[cases, usual]
    return ClassBiasVariance(
        error=float(error.mean()),
        bias2_and_noise=float((bias2 + noise).mean()),
        variance=float((spread + moved).mean()),
        noise=float(noise.mean()) if knows_noise else None,
        main_bias=float(is_wrong.mean()),
        variance_where_right=float(np.where(is_wrong, 0.0, differs).mean()),
        variance_where_wrong=float(np.where(is_wrong, hits, 0.0).mean()),
        noise_effect=float((error - (1 - hits)).mean()),
        bayes_error=float((1 - truth.max(axis=1)).mean()) if knows_noise else None,
        n_sets=int(count.max()),
        n_cases=len(truth),
    )


def _refuse_others(learner: Any) -> None:
    is_estimator = hasattr(learner, "__sklearn_tags__") and not isinstance(learner, type)
    if not is_estimator or not is_classifier(learner):
        raise ParameterError(
            f"Errors are counted for classes, so this needs a classifier. Got {learner!r}. For "
            "numbers, use bias_variance_by_simulation or bias_variance_by_bootstrap.",
            code="P364",
            values=[learner],
            repair=Repair("model = branchline.tree.DecisionTreeClassifier()"),
        )
