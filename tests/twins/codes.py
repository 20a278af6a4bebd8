"""The twin of fit_codes and apply_codes; the rules are stated in codes.hpp."""

from typing import NamedTuple

import numpy as np


class Coded(NamedTuple):
    codes: np.ndarray
    lowest: np.ndarray
    highest: np.ndarray


def fit_codes(values, units=None, max_bins=0):
    """Rank the values, or put them into at most ``max_bins`` bins; 0 bins means exact ranks."""
    values = np.asarray(values, dtype=np.float64) + 0.0  # −0.0 becomes 0.0
    present = ~np.isnan(values)
    distinct, rank = np.unique(values[present], return_inverse=True)
    weights = [0] * len(distinct)
    ones = np.ones(len(values), dtype=np.int64)
    for place, unit in zip(rank, (ones if units is None else units)[present], strict=True):
        weights[place] += int(unit)
    exact = max_bins == 0 or len(distinct) <= max_bins
    bins = np.arange(len(distinct)) if exact else np.array(quantile_bins(weights, max_bins))
    codes = np.zeros(len(values), dtype=np.int64)
    codes[present] = bins[rank] + 1 if len(distinct) else 0
    first = np.flatnonzero(np.diff(bins, prepend=-1))
    last = np.append(first[1:], len(distinct))[: len(first)] - 1
    return Coded(codes, distinct[first], distinct[last])


def quantile_bins(weights, max_bins):
    """Return the bin of each distinct value, given their weights in order."""
    left, bins_left, heavy = sum(weights), max_bins, set()
    while new := {
        i for i, w in enumerate(weights) if i not in heavy and w * bins_left >= left and bins_left
    }:
        heavy |= new
        left -= sum(weights[i] for i in new)
        bins_left -= len(new)
    bins, filled, share = [], 0, None  # share: (weight left, bins left) when the bin was opened
    for i, weight in enumerate(weights):
        new_bin = i in heavy
        if i in heavy:
            share = None
        else:
            fits = share is not None and (2 * filled + weight) * share[1] <= 2 * share[0]
            if not fits and bins_left > 0:
                new_bin, share, filled, bins_left = True, (left, bins_left), 0, bins_left - 1
            filled += weight
            left -= weight
        bins.append((bins[-1] if bins else -1) + new_bin)
    return bins


def apply_codes(values, lowest, highest):
    """Return the code whose range a value is in, or whose side of the gap it is on."""
    values = np.asarray(values, dtype=np.float64)
    if len(lowest) == 0:
        return np.zeros(len(values), dtype=np.int64)
    edges = [midpoint(high, low) for high, low in zip(highest[:-1], lowest[1:], strict=True)]
    return np.where(np.isnan(values), 0, np.searchsorted(edges, values, side="left") + 1)


def midpoint(left, right):
    middle = float(left) / 2 + float(right) / 2
    return middle if left <= middle < right else float(left)
