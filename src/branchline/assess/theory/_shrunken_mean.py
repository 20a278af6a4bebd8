"""A mean drawn towards a guess: its bias and variance in closed form, and how far to draw it.

1. ŷ = (λ·guess + Σ y) / (λ + N): the guess counts as much as λ observations.
2. bias² = (λ / (λ + N))² (μ − guess)², variance = N σ² / (λ + N)².
3. Where μ itself scatters around the guess with variance σ_ȳ², the expected error is least at
   λ = σ_y² / σ_ȳ².
"""

from branchline._validation import Real, check_parameters
from branchline.assess.theory._bias_variance import BiasVariance, check_counts

__all__ = ["prior_strength", "shrunken_mean_decomposition"]


def shrunken_mean_decomposition(
    mean: float, variance: float, n_rows: int, strength: float, *, guess: float = 180.0
) -> BiasVariance:
    """Return the exact parts for a mean drawn towards a guess: ŷ = (λ·guess + Σ y) / (λ + N).

    bias² = (λ / (λ + N))² (μ − guess)², variance = N σ² / (λ + N)², noise = σ². A strength between
    none and all is best: a little bias buys less variance.

    Parameters
    ----------
    mean, variance
        μ and σ², of what is observed: say, heights in cm.
    n_rows
        N, the number of observations.
    strength
        λ, how many observations the guess is worth; 0 takes the plain mean.
    guess
        What is believed before anything is seen. Default 180.0.

    See Also
    --------
    BiasVariance : squared error = bias² + noise + variance.

    Examples
    --------
    >>> from branchline.assess.theory import shrunken_mean_decomposition
    >>> print(shrunken_mean_decomposition(175.0, 50.0, n_rows=10, strength=2.0))
    error 54.17 = bias² 0.6944 + noise 50 + variance 3.472
    """
    given = {"mean": mean, "variance": variance, "strength": strength, "guess": guess}
    rules = {"mean": Real(), "variance": Real(0.0), "strength": Real(0.0), "guess": Real()}
    check_parameters("shrunken_mean_decomposition", given, rules)
    check_counts("shrunken_mean_decomposition", least=1, n_rows=n_rows)
    total = strength + n_rows
    bias2 = (strength / total) ** 2 * (mean - guess) ** 2
    spread = n_rows * variance / total**2
    rest = bias2 + variance
    return BiasVariance(rest + spread, rest, spread, float(variance), 0, 0)


def prior_strength(variance: float, prior_variance: float) -> float:
    """Return how many observations a guess is worth: λ = σ_y² / σ_ȳ².

    Let observations scatter around a mean μ with variance σ_y², and μ around the guess with
    variance σ_ȳ². Then (λ·guess + Σ y) / (λ + N) is the mean of μ given the observations, and no
    other λ has a smaller expected error. With heights of variance 50 in a country, and means of
    countries that scatter around 180 with variance 25, the guess of 180 is worth two people.

    Parameters
    ----------
    variance
        σ_y², of observations around their mean.
    prior_variance
        σ_ȳ², of the means around the guess. Near 0 the guess is all there is, and λ grows without
        end.

    See Also
    --------
    shrunken_mean_decomposition : return the exact parts for a mean drawn towards a guess.

    Examples
    --------
    >>> from branchline.assess.theory import prior_strength, shrunken_mean_decomposition
    >>> prior_strength(50.0, 25.0)
    2.0
    """
    given = {"variance": variance, "prior_variance": prior_variance}
    rules = {"variance": Real(0.0), "prior_variance": Real(0.0, low_open=True)}
    check_parameters("prior_strength", given, rules)
    return float(variance / prior_variance)
