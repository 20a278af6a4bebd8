"""Labels of sequences the slow way: every labeling, one after the other."""

import itertools

import numpy as np


def score(features, weights, moves, labels):
    """Return the score of a labeling: features of tokens, transitions, start and end."""
    n_labels = weights.shape[1]
    path = [n_labels, *labels, n_labels]
    total = sum(moves[a, b] for a, b in itertools.pairwise(path))
    return total + sum(
        weights[f, label] for row, label in zip(features, labels, strict=True) for f in row
    )


def labelings(n_tokens, allowed):
    """Yield every labeling that has only allowed transitions, with its score still to come."""
    n_labels = len(allowed) - 1
    for labels in itertools.product(range(n_labels), repeat=n_tokens):
        path = [n_labels, *labels, n_labels]
        if all(allowed[a, b] for a, b in itertools.pairwise(path)):
            yield labels


def best(features, weights, moves, allowed):
    """Return the highest score, and for each token the highest score with each label there."""
    n_tokens, n_labels = len(features), weights.shape[1]
    most, at_token = -np.inf, np.full((n_tokens, n_labels), -np.inf)
    for labels in labelings(n_tokens, allowed):
        found = score(features, weights, moves, labels)
        most = max(most, found)
        for t, label in enumerate(labels):
            at_token[t, label] = max(at_token[t, label], found)
    return most, at_token


def objective(sequences, weights, moves, allowed, strength):
    """Return the objective of the structured machine: penalty and mean violation per token.

    ``sequences``: features, labels and weight of each.
    """
    total = sum(weight * len(labels) for _, labels, weight in sequences)
    worst = 0.0
    for features, right, weight in sequences:
        own = score(features, weights, moves, right)
        worst += weight * max(
            score(features, weights, moves, labels)
            - own
            + sum(map(int, np.not_equal(labels, right)))
            for labels in labelings(len(right), allowed)
        )
    return strength / 2 * ((weights**2).sum() + (moves**2).sum()) + worst / total
