"""The twin of nearest neighbors: the distance of two rows by its definition, one pair at a time.

Rows are dictionaries; a value is a number, a text or None. Columns weigh 1 each; overlap,
scale "sd", Euclidean. Ties at the k-th distance share what is left of k.
"""

import math

SAME = 1e-9


def column_spread(values):
    """Return mean and standard deviation of numbers; shares and deviation of levels, 1/√2 each."""
    known = [value for value in values if value is not None]
    if not known or len(set(known)) == 1:
        return None
    if isinstance(known[0], str):
        shares = {name: known.count(name) / len(known) for name in set(known)}
        return shares, math.sqrt((1 - sum(share**2 for share in shares.values())) / 2)
    mean = sum(known) / len(known)
    return mean, math.sqrt(sum((value - mean) ** 2 for value in known) / len(known))


def squared_part(spread, a, b, has_holes):
    """Return the squared difference of two cells of a column, in squared deviations."""
    deviation = spread[1]
    a, b = (_known(spread, value) for value in (a, b))
    if a is None and b is None:
        return 0.0
    if a is None or b is None:
        value = b if a is None else a
        return _from_mean(spread, value) / deviation**2 + (1.0 if has_holes else 0.0)
    if isinstance(a, str):
        return (a != b) / deviation**2
    return ((a - b) / deviation) ** 2


def _known(spread, value):
    """Return a cell; a level that no training row has is as good as missing."""
    return None if isinstance(value, str) and value not in spread[0] else value


def _from_mean(spread, value):
    center = spread[0]
    if isinstance(value, str):  # (1 − p)² / 2 for the own direction, p² / 2 for each other
        return (1 - 2 * center[value]) / 2 + sum(share**2 for share in center.values()) / 2
    return (value - center) ** 2


def distances(rows, query):
    """Return the distance of a query to each row."""
    squares = [0.0] * len(rows)
    for name in rows[0]:
        values = [row[name] for row in rows]
        spread = column_spread(values)
        if spread is None:
            constant_with_holes(values, query[name], squares)
            continue
        for at, value in enumerate(values):
            squares[at] += squared_part(spread, value, query[name], None in values)
    return [math.sqrt(square) for square in squares]


def constant_with_holes(values, asked, squares):
    """Add the part of a column that takes one value: only which cells are missing tells."""
    holes = [value is None for value in values]
    share = sum(holes) / len(holes)
    if share in (0, 1):
        return
    is_hole = asked is None or (isinstance(asked, str) and asked not in values)
    for at, hole in enumerate(holes):
        squares[at] += (hole != is_hole) / (share * (1 - share))


def shares_of_neighbors(found, k, *, by_distance):
    """Return how much each row counts for a query, from its distances."""
    ranked = sorted(found)
    last = ranked[min(k, len(found)) - 1]
    nearer = [d < last - SAME * last for d in found]
    tied = [abs(d - last) <= SAME * last for d in found]
    left = (min(k, len(found)) - sum(nearer)) / sum(tied)
    counts = [1.0 if a else left if b else 0.0 for a, b in zip(nearer, tied, strict=True)]
    if not by_distance:
        return counts
    nearest = ranked[0]
    weights = [float(d == 0) if nearest == 0 else nearest / d for d in found]
    return [count * weight for count, weight in zip(counts, weights, strict=True)]


def class_shares(counts, classes):
    """Return the share of each class, in order of their names."""
    total = sum(counts)
    return [
        sum(count for count, name in zip(counts, classes, strict=True) if name == wanted) / total
        for wanted in sorted(set(classes))
    ]


def mean_target(counts, targets):
    """Return the weighted mean target."""
    return sum(c * y for c, y in zip(counts, targets, strict=True)) / sum(counts)
