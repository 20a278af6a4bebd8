"""The twin of find_test and find_leaves: every candidate is tried, with exact fractions.

A candidate is a tuple of branches, one a row. ``Node`` knows what a candidate is worth.
"""

import math
from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import numpy as np

SAME = Fraction(1, 10**12)  # entropies are floats: what differs by less is equal


@dataclass(frozen=True)
class Node:
    """Rows with a class each (or, for variance, a number times their units) and integer weights."""

    target: tuple
    units: tuple
    criterion: str

    def badness(self, rows):
        weight = sum(self.units[row] for row in rows)
        if self.criterion == "variance":
            return -Fraction(sum(self.target[row] for row in rows) ** 2, weight)
        counts = list(self.counts(rows).values())
        if self.criterion == "gini":
            return weight - Fraction(sum(count**2 for count in counts), weight)
        if self.criterion == "misclassification":
            return Fraction(weight - max(counts))
        shares = [count / weight for count in counts]
        return Fraction(-weight * math.fsum(share * math.log2(share) for share in shares))

    def counts(self, rows):
        counts = defaultdict(int)
        for row in rows:
            counts[self.target[row]] += self.units[row]
        return counts

    def weights(self, branches):
        weights = defaultdict(int)
        for branch, unit in zip(branches, self.units, strict=True):
            weights[branch] += unit
        return weights

    def gain(self, branches):
        """Return the decrease of badness per unit of weight."""
        rows_of = defaultdict(list)
        for row, branch in enumerate(branches):
            rows_of[branch].append(row)
        everything = self.badness(range(len(branches)))
        apart = sum(self.badness(rows) for rows in rows_of.values())
        return (everything - apart) / sum(self.units)


def cuts(codes, order):
    """Send the first codes of an order left; missing values right, then left."""
    for missing in (1, 0):
        for n_left in range(1, len(order) + 1):
            left = set(order[:n_left])
            yield tuple(missing if code == 0 else int(code not in left) for code in codes)


def orders(codes, node, n_classes):
    """Order categories by mean, or by the share of a class: of each when there are several."""
    rows_of = defaultdict(list)
    for row, code in enumerate(codes):
        rows_of[code].append(row)
    present = sorted(code for code in rows_of if code)

    def share(code, which):
        rows = rows_of[code]
        weight = sum(node.units[row] for row in rows)
        if node.criterion == "variance":
            return Fraction(sum(node.target[row] for row in rows), weight)
        return Fraction(node.counts(rows)[which], weight)

    for which in range(n_classes if n_classes > 2 else 1):
        yield sorted(present, key=lambda code: share(code, which))


def binary_candidates(codes, is_category, node, n_classes):
    """Return the tests that the kernel tries, in its order."""
    if not is_category:
        return list(cuts(codes, sorted({code for code in codes if code})))
    return [c for order in orders(codes, node, n_classes) for c in cuts(codes, order)]


def all_subsets(codes):
    """Return every way to send categories, and missing values, to two sides."""
    present = sorted(set(codes))
    for n_left in range(1, len(present)):
        for left in combinations(present, n_left):
            yield tuple(int(code not in left) for code in codes)


def multiway(codes, node, min_units):
    """Return a branch a category, missing ones last; light ones share the last branch."""
    weights = node.weights(codes)
    present = sorted(weights, key=lambda code: (code == 0, code))
    kept = [code for code in present if weights[code] >= min_units]
    return tuple(kept.index(code) if code in kept else len(kept) for code in codes)


def best_candidate(candidates, node, min_units):
    """Return the best candidate whose branches all weigh enough: the first among equals."""
    best = None
    for branches in candidates:
        weights = node.weights(branches)
        if len(weights) < 2 or min(weights.values()) < max(1, min_units):
            continue
        gain = node.gain(branches)
        if best is None or gain > best[0] + SAME:
            best = (gain, branches)
    return best


@dataclass(frozen=True)
class Found:
    column: int
    gain: Fraction
    branches: tuple


def find_test(columns, is_category, node, *, n_classes=0, is_multiway=False, min_units=1):
    """Return the best test of all columns, or None: fewest branches, then the first column, win."""
    best = None
    for place, codes in enumerate(columns):
        if is_multiway and is_category[place]:
            branches = multiway(codes, node, min_units)
            found = (node.gain(branches), branches) if len(set(branches)) > 1 else None
        else:
            tried = binary_candidates(codes, is_category[place], node, n_classes)
            found = best_candidate(tried, node, min_units)
        if found is None:
            continue
        fewer = best is not None and len(set(found[1])) < len(set(best.branches))
        if best is None or found[0] > best.gain + SAME or (fewer and found[0] >= best.gain - SAME):
            best = Found(place, *found)
    return best


def find_leaves(tree, columns):
    """Walk each row down a tree of arrays (see branchline.tree._tree_arrays)."""
    nodes = []
    for row in range(len(columns[0])):
        node, branch = 0, 0
        while tree.kind[node] != 0 and branch >= 0:
            value = columns[tree.feature[node]][row]
            if np.isnan(value) or (tree.kind[node] == 2 and value < 0):
                branch = tree.missing_branch[node]
            elif tree.kind[node] == 1:
                branch = int(value > tree.threshold[node])
            else:
                branch = tree.pool[tree.pool_offset[node] + value]
            node = tree.first_child[node] + branch if branch >= 0 else node
        nodes.append(node)
    return nodes
