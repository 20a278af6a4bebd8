"""Slow twins of the kernels of streams: ADWIN on all numbers, and a Hoeffding tree of numbers.

The tree predicts by the majority of a leaf, has bins, entropy and no categories: what is left is
the growing of the tree, written from the contract.
"""

import math
from typing import Any

import numpy as np


class SlowAdwin:
    """ADWIN on lists: each bucket holds its numbers."""

    def __init__(self, delta: float) -> None:
        self.delta, self.n_seen = delta, 0
        self.rows: list[list[list[float]]] = [[]]  # row k: buckets of 2^k numbers, oldest first

    def window(self) -> list[float]:
        return [x for row in reversed(self.rows) for bucket in row for x in bucket]

    def update(self, value: float) -> bool:
        self.rows[0].append([value])
        at = 0
        while at < len(self.rows) and len(self.rows[at]) > 5:
            if at + 1 == len(self.rows):
                self.rows.append([])
            first, second, *rest = self.rows[at]
            self.rows[at] = rest
            self.rows[at + 1].append(first + second)
            at += 1
        self.n_seen += 1
        was_cut = False
        if self.n_seen % 32 == 0:
            while len(self.window()) > 10 and self.cut():
                was_cut = True
        return was_cut

    def cut(self) -> bool:
        window = np.array(self.window())
        n, variance = len(window), float(window.var())
        log_term = math.log(2 * math.log(n) / self.delta)
        ends = np.cumsum([len(bucket) for row in reversed(self.rows) for bucket in row])
        for n0 in ends[(ends >= 5) & (n - ends >= 5)]:
            inverse = 1 / n0 + 1 / (n - n0)
            limit = math.sqrt(2 * inverse * variance * log_term) + 2 / 3 * inverse * log_term
            if abs(window[:n0].mean() - window[n0:].mean()) > limit:
                next(row for row in reversed(self.rows) if row).pop(0)
                while len(self.rows) > 1 and not self.rows[-1]:
                    self.rows.pop()
                return True
        return False


def entropy(counts: Any) -> float:
    """Return the entropy of class counts in bits, times their sum."""
    total = sum(counts)
    return sum(-n * math.log2(n / total) for n in counts if n > 0)


class SlowTree:
    """A Hoeffding tree whose leaves keep class counts of bins."""

    def __init__(self, n_columns: int, rules: dict[str, Any]) -> None:
        self.rules, self.n_columns = rules, n_columns
        self.root = self.leaf([0.0] * rules["n_classes"])

    def leaf(self, of_class: list[float]) -> dict[str, Any]:
        return {
            "of_class": list(of_class),
            "n": 0,
            "last": 0,
            "bins": [{} for _ in range(self.n_columns)],
            "missing": [[0] * self.rules["n_classes"] for _ in range(self.n_columns)],
        }

    def find(self, row: Any) -> dict[str, Any]:
        node = self.root
        while "column" in node:
            x = row[node["column"]]
            is_left = node["missing_left"] if x != x else x <= node["threshold"]
            node = node["left" if is_left else "right"]
        return node

    def learn(self, row: Any, truth: int) -> int:
        leaf, rules = self.find(row), self.rules
        predicted = int(np.argmax(leaf["of_class"]))
        leaf["of_class"][truth] += 1
        leaf["n"] += 1
        for column, x in enumerate(row):
            if x != x:
                leaf["missing"][column][truth] += 1
                continue
            bins = leaf["bins"][column]
            if x not in bins and len(bins) < rules["max_bins"]:
                bins[x] = [0] * rules["n_classes"]
            place = min((high for high in bins if high >= x), default=max(bins))
            bins[place][truth] += 1
        if leaf["n"] - leaf["last"] >= rules["grace_period"]:
            leaf["last"] = leaf["n"]
            self.try_split(leaf)
        return predicted

    def try_split(self, leaf: dict[str, Any]) -> None:
        if sum(n > 0 for n in leaf["of_class"]) < 2:
            return
        found = [one for column in range(self.n_columns) if (one := self.best(leaf, column))]
        found.sort(key=lambda one: -one[0])  # stable: the first column wins
        n_tested = sum(len(bins) > 1 for bins in leaf["bins"])
        if not found:
            return
        gain, second = found[0][0], found[1][0] if len(found) > 1 else 0.0
        present = max(2, sum(n > 0 for n in leaf["of_class"]))
        n = leaf["n"]
        bound = math.log2(present) * math.sqrt(math.log(1 / self.rules["delta"]) / (2 * n))
        if gain - second <= bound and bound >= self.rules["tie_threshold"]:
            return
        level, freedom = math.log(1000 * n_tested), present - 1
        limit = freedom + 2 * math.sqrt(freedom * level) + 2 * level
        if 2 * math.log(2) * n * gain <= limit:
            return
        _, column, threshold, missing_left, left, right = found[0]
        for key in ("n", "last", "bins", "missing"):
            del leaf[key]
        leaf.update(column=column, threshold=threshold, missing_left=missing_left)
        leaf.update(left=self.leaf(left), right=self.leaf(right))

    def best(self, leaf: dict[str, Any], column: int) -> Any:
        bins, missing = leaf["bins"][column], leaf["missing"][column]
        values = np.array([bins[high] for high in sorted(bins)]).reshape(len(bins), -1)
        known = values.sum(axis=0)
        everything = known + missing
        total, best = everything.sum(), None
        for cut, threshold in enumerate(sorted(bins)[:-1], 1):
            left = values[:cut].sum(axis=0)
            heavier_left = 2 * left.sum() >= known.sum()
            for missing_left in (False, True):
                if not any(missing) and missing_left != heavier_left:
                    continue
                here = left + missing if missing_left else left
                rest = everything - here
                if min(here.sum(), rest.sum()) < max(1, 0.01 * total):
                    continue
                gain = (entropy(everything) - entropy(here) - entropy(rest)) / total
                if gain > (best[0] if best else 0):
                    best = (gain, column, threshold, missing_left, here.tolist(), rest.tolist())
        return best
