"""The twin of grow_tree: every test of every column is tried, with exact fractions.

1. A node is a list of (row, part); the part says how many of the row's units the node has.
2. ``View.tests`` yields every test that a column offers: thresholds, all subsets or those given, a
   branch a category; missing values go where the policy says.
3. ``best_tests`` keeps those of the highest gain; ``choose`` compares columns by their scores.
4. ``grow`` goes on with the branches until a rule says stop. Where tests are equally good and the
   contract leaves the choice open (subsets), it takes the side of the tree it is shown.

The file is longer than others because it restates the whole contract of a kernel in one place.
"""

import heapq
import math
from collections import defaultdict
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import chain, combinations

from scipy.stats import chi2

STAY, EVERY = -1, -2
SAME = 1e-12  # entropies are floats: gains that differ by less are equal


def added(contents):
    """Return the sum of some contents, place by place."""
    return [sum(column) for column in zip(*contents, strict=True)]


@dataclass(frozen=True)
class Problem:
    """Codes (0 is missing) and a target: classes, or whole sums (value times units) of outputs."""

    columns: list
    is_category: list
    n_codes: int
    units: list
    classes: list | None = None
    sums: list | None = None
    n_classes: int = 0
    class_factor: list | None = None
    cost: list = field(default_factory=lambda: [1.0] * 9)
    fill_code: list = field(default_factory=lambda: [0] * 9)
    given: dict = field(default_factory=dict)  # subsets of codes, by column
    part_units: int = 0

    def content(self, node):
        """Return the units of each class; or the units, then the sum of each output."""
        if self.classes is not None:
            total = [0] * self.n_classes
            for row, part in node:
                total[self.classes[row]] += part
            return total
        total = [0] * (1 + len(self.sums[0]))
        for row, part in node:
            total[0] += part
            for output, value in enumerate(self.sums[row]):
                total[1 + output] += Fraction(value * part, self.units[row])
        return total

    def weight(self, content):
        return sum(content) if self.classes is not None else content[0]

    def scaled(self, counts):
        if self.class_factor is None:
            return counts
        return [Fraction(f) * n for f, n in zip(self.class_factor, counts, strict=True)]

    def impurity_weight(self, content):
        return sum(self.scaled(content)) if self.classes is not None else content[0]

    def badness(self, content, criterion):
        if self.weight(content) == 0:
            return 0
        if criterion == "variance":  # without the sum of squares, which is the same for each test
            return -sum(Fraction(total**2, content[0]) for total in content[1:])
        counts = self.scaled(content)
        total = sum(counts)
        if criterion == "gini":
            return total - sum(Fraction(count**2) / total for count in counts)
        if criterion == "misclassification":
            return Fraction(total - max(counts))
        return math.fsum(-n * math.log2(n / total) for n in counts if n)

    def spread(self, node):
        """Return the squared deviations from the mean of each output."""
        weight, *totals = self.content(node)
        return [
            sum(Fraction(self.sums[row][o] ** 2 * part, self.units[row] ** 2) for row, part in node)
            - Fraction(total**2, weight)
            for o, total in enumerate(totals)
        ]

    def impurity(self, node, criterion):
        content = self.content(node)
        if self.classes is None:
            return float(sum(self.spread(node)) / content[0])
        return float(self.badness(content, criterion) / self.impurity_weight(content))

    def slack(self, node):
        """Return by how much gains and scores may differ and be equal."""
        return SAME * (1.0 if self.classes is not None else self.impurity(node, "variance"))


@dataclass(frozen=True)
class Options:
    """GrowOptions, with words for numbers."""

    criterion: str = "gini"
    missing: str = "learned"
    subset_search: str = "automatic"
    gain_ratio: bool = False
    multiway: bool = False
    share_rare_branches: bool = False
    cautious_thresholds: bool = False
    correct_for_chance: bool = False
    description_length: bool = False
    split_on_zero_gain: bool = False
    max_depth: int = 1000
    max_leaves: int | None = None
    min_split_units: int = 2
    min_leaf_units: int = 1
    min_impurity: float = 0.0
    min_gain: float = 0.0
    significance: float = 1.0
    unit: float = 1.0


@dataclass(frozen=True)
class Test:
    """Where each value of a node goes, and what that is worth."""

    column: int
    branch_of: dict
    missing: int
    n_branches: int
    kind: str  # "threshold", "subset" or "multiway"
    gain: float = 0.0
    split_information: float = 0.0
    p_value: float = 1.0
    score: float = 0.0

    def branch(self, code):
        return self.branch_of.get(code, self.missing)


@dataclass(frozen=True)
class View:
    """One column of one node."""

    problem: Problem
    options: Options
    node: list
    column: int

    @cached_property
    def is_category(self):
        return self.problem.is_category[self.column]

    @cached_property
    def content(self):
        return self.problem.content(self.node)

    @cached_property
    def cells(self):
        """The content of each code."""
        rows_of = defaultdict(list)
        for row, part in self.node:
            rows_of[self.problem.columns[self.column][row]].append((row, part))
        for code in self.aside(rows_of):
            rows_of[0] += rows_of.pop(code)
        return {code: self.problem.content(rows) for code, rows in sorted(rows_of.items())}

    def aside(self, rows_of):
        """Return categories of one row: where there are many, they go with the missing values."""
        options, given = self.options, self.problem.given
        subsets = self.is_category and not options.multiway and self.column not in given
        if not (subsets and options.correct_for_chance):
            return []
        weights = {code: sum(part for _, part in rows) for code, rows in rows_of.items() if code}
        single = [code for code, weight in weights.items() if weight * options.unit < 1.5]
        return single if len(single) > 10 else []

    def weigh(self, codes):
        return sum(self.problem.weight(self.cells[code]) for code in codes if code in self.cells)

    @cached_property
    def policy(self):
        """How missing values are treated here; too few for a branch of their own join another."""
        is_own = self.options.missing == "own_branch" and not self.options.multiway
        few = is_own and self.weigh([0]) < self.options.min_leaf_units
        return "learned" if few else self.options.missing

    @cached_property
    def fill(self):
        """Policy mode: what missing values stand for (numbers: the median); else 0."""
        if self.policy != "mode" or self.problem.fill_code[self.column]:
            return self.problem.fill_code[self.column] if self.policy == "mode" else 0
        present = [code for code in self.cells if code]
        if self.is_category or not present:
            return max(present, key=lambda code: (self.weigh([code]), -code), default=0)
        half = Fraction(self.weigh(present), 2)
        return next(c for c in present if self.weigh(x for x in present if x <= c) >= half)

    @cached_property
    def values(self):
        """What the rows have or stand for, in order."""
        filled = {self.fill} if 0 in self.cells else set()
        return sorted((set(self.cells) | filled) - {0})

    @cached_property
    def any_missing(self):
        return 0 in self.cells and not self.fill

    def weigh_value(self, value):
        return self.weigh([value, 0] if value == self.fill else [value])

    def tests(self):
        """Yield every test that is allowed, the first of equal thresholds first."""
        if self.is_category and self.options.multiway:
            yield from self.multiway()
            return
        is_learned = self.policy == "learned" and self.any_missing
        tests = []
        for side in (1, 0) if is_learned else (None,):
            for left in self.lefts():
                of = {value: 0 if value in left else 1 for value in self.values}
                weights = [0, 0]
                for value in self.values:
                    weights[of[value]] += self.weigh_value(value)
                if side is not None:
                    weights[side] += self.weigh([0])
                if min(weights) >= self.least():
                    tests.append(self.binary(of, weights, side))
        rows = self.problem.weight(self.content) * self.options.unit
        is_cautious = self.options.cautious_thresholds and not self.is_category
        for test in tests:
            penalty = math.log2(len(tests)) / rows if is_cautious else 0
            yield self.measure(test, penalty)

    def lefts(self):
        """Yield what may go left, in order."""
        values, given = self.values, self.problem.given.get(self.column)
        if not self.is_category:
            yield from (values[:n] for n in range(1, len(values) + 1))
        elif given is not None:
            yield from (left for s in given if (left := [v for v in values if v in s]))
        else:
            sizes = range(1, len(values) + 1)
            yield from chain.from_iterable(combinations(values, n) for n in sizes)

    def least(self):
        """Return the fewest units of a side."""
        least, unit = max(1, self.options.min_leaf_units), self.options.unit
        if self.is_category or not self.options.cautious_thresholds:
            return least
        known = sum(self.weigh_value(value) for value in self.values)
        rows = min(25.0, 0.1 * known * unit / max(1, self.problem.n_classes))
        return max(least, math.ceil(rows / unit))

    def binary(self, of, weights, side):
        """Return the test of two sides, with the branch of missing values."""
        policy, n_branches = self.policy, 2
        missing = side if side is not None else 0 if weights[0] >= weights[1] else 1
        if policy == "mode" and not self.is_category:
            missing = int(self.fill > max(value for value in of if of[value] == 0))
        elif policy == "mode":
            missing = of.get(self.fill, missing)
        elif policy == "fractional":
            missing = EVERY
        elif policy == "own_branch" and self.any_missing:
            missing, n_branches = 2, 3
        kind = "subset" if self.is_category else "threshold"
        return Test(self.column, of, missing, n_branches, kind)

    def multiway(self):
        """Yield the test of a branch a category; two branches at least must weigh enough."""
        least = max(1, self.options.min_leaf_units)
        share = self.options.share_rare_branches
        rare = [v for v in self.values if share and self.weigh_value(v) < least]
        kept = [v for v in self.values if v not in rare]
        of = {value: branch for branch, value in enumerate(kept)} | dict.fromkeys(rare, len(kept))
        weights = [self.weigh_value(value) for value in kept]
        weights += [sum(self.weigh_value(value) for value in rare)] if rare else []
        missing = EVERY if self.options.missing == "fractional" else of.get(self.fill, STAY)
        if self.any_missing and self.options.missing in ("learned", "own_branch"):
            missing = len(weights)
            weights.append(self.weigh([0]))
        if of and sum(weight >= least for weight in weights) >= 2:
            yield self.measure(Test(self.column, of, missing, len(weights), "multiway"))

    def measure(self, test, penalty=0):
        """Return the test with its gain (less a penalty), split information and p-value."""
        problem, options = self.problem, self.options
        held = [[[0] * len(self.content)] for _ in range(test.n_branches)]
        for code, content in self.cells.items():
            if test.branch(code) >= 0:
                held[test.branch(code)].append(content)
        held = [added(contents) for contents in held]
        before = problem.badness(added(held), options.criterion)  # of what is known, if fractional
        after = sum(problem.badness(content, options.criterion) for content in held)
        gain = (before - after) / problem.impurity_weight(self.content) - penalty
        weights = [problem.weight(content) for content in held]
        weights += [self.weigh([0])] if test.missing == EVERY else []
        p = 1.0 if problem.classes is None else p_value(held, options.unit)
        return replace(test, gain=gain, split_information=entropy(weights), p_value=p)

    def chance_multiple(self, kind, rows):
        """Return the same in units of what a single binary test gains by chance on average."""
        k = len(self.values)
        if kind == "multiway" or (kind == "subset" and k <= 2):
            return max(0, k - 2)
        dimensions, rarer_share = 1.0, 1.0
        if self.problem.classes is not None:
            total = float(self.problem.weight(self.content))
            shares = [float(units) / total for units in self.content]
            squares, cubes = sum(p**2 for p in shares), sum(p**3 for p in shares)
            squared_trace = squares - 2 * cubes + squares**2
            dimensions = max(1.0, (1 - squares) ** 2 / squared_trace) if squared_trace > 0 else 1.0
            rarer_share = 1 - max(shares)
        values = min(rows, self.problem.n_codes)
        if kind == "threshold":
            found = 1.15 * math.log(values - 1) ** 0.7 if values > 2 else 0.0
            return found * dimensions**-0.55
        singles = sum(self.weigh_value(v) * self.options.unit < 1.5 for v in self.values)
        kept = 1.0
        if k > singles:
            rarer_rows = rarer_share * (rows - singles) / (k - singles)
            kept = 2 / math.pi + (1 - 2 / math.pi) * math.exp(-2 * rarer_rows**2)
        found = kept * (k - 2) + (1 - kept) * singles + math.sqrt(k) - math.sqrt(2)
        return found * dimensions**-0.55

    def chance(self, test):
        """Return what the best of many tests gains by chance, beyond what a single one does."""
        known = [self.cells[code] for code in self.cells if code or self.fill]
        rows = sum(map(self.problem.weight, known)) * self.options.unit
        if not self.options.correct_for_chance or rows <= 1:
            return 0.0
        multiple = self.chance_multiple(test.kind, float(rows))
        if self.problem.classes is None:
            share = added(known)[0] / self.content[0]
            impurity = self.problem.impurity(self.node, "variance") * share
        else:
            badness = self.problem.badness(added(known), self.options.criterion)
            impurity = badness / self.problem.impurity_weight(self.content)
        return float(impurity) * multiple / (rows - 1)

    def bits(self, test):
        """Return what it takes to describe a test and the leaves it adds (not which column)."""
        rows = float(self.problem.weight(self.content) * self.options.unit)
        bits = (len(self.content) - 1) * (test.n_branches - 1) * math.log2(rows) / 2
        if test.kind == "threshold":
            bits += math.log2(max(2.0, min(rows, self.problem.n_codes)) - 1)
        return bits + (len(self.values) - 1 if test.kind == "subset" else 0)

    def scored(self, test, n_columns):
        """Return the test with its score; so many columns vary in the node."""
        score = float(test.gain) - self.chance(test)
        if self.options.description_length:
            rows = float(self.problem.weight(self.content) * self.options.unit)
            score = float(test.gain) - (math.log2(n_columns) + self.bits(test)) / rows
        if self.options.gain_ratio:
            score = score / test.split_information if test.split_information > 0 else 0.0
        cost = self.problem.cost[self.column]  # what is below zero is no better for being dear
        return replace(test, score=score / cost if score > 0 else score * cost)


def entropy(weights):
    total = sum(weights)
    return math.fsum(-float(w / total) * math.log2(w / total) for w in weights if w)


def p_value(table, unit):
    """Return that of Pearson's χ² test; rows and columns of zeros do not count."""
    rows, columns = [sum(row) for row in table], added(table)
    degrees = (sum(map(bool, rows)) - 1) * (sum(map(bool, columns)) - 1)
    if degrees <= 0:
        return 1.0
    cells = [
        (seen, Fraction(row * column, sum(rows)))
        for row, line in zip(rows, table, strict=True)
        for column, seen in zip(columns, line, strict=True)
    ]
    statistic = sum((seen - wanted) ** 2 / wanted for seen, wanted in cells if wanted)
    return float(chi2.sf(float(statistic) * unit, degrees))


def best_tests(problem, options, node):
    """Return the best tests of each column: the first threshold, all equal subsets."""
    slack, found = problem.slack(node), []
    varying = [len({codes[row] for row, _ in node}) > 1 for codes in problem.columns]
    for column in range(len(problem.columns)):
        view = View(problem, options, node, column)
        tests = list(view.tests())
        best = max((test.gain for test in tests), default=0)
        equal = [test for test in tests if test.gain >= best - slack]
        if equal:
            found.append((view, equal if view.is_category else equal[:1]))
    return [[view.scored(test, sum(varying)) for test in equal] for view, equal in found]


def is_allowed(test, options, slack):
    if test.p_value > options.significance:
        return False
    if options.description_length and test.score <= slack:
        return False
    return options.split_on_zero_gain or test.gain > max(options.min_gain, slack)


def choose(problem, options, node, shown=None):
    """Return the test of the best score, or None: fewest branches, then the first column, win."""
    offers, slack = [], problem.slack(node)
    for equal in best_tests(problem, options, node):
        like = [test for test in equal if shown is not None and shown.is_like(test)]
        worst = min(equal, key=lambda test: (is_allowed(test, options, slack), test.score))
        offers.append(like[0] if like else worst)
    gains = [test.gain for test in offers if test.gain > slack]
    average = sum(gains) / len(gains) if gains and options.gain_ratio else -math.inf
    best = None
    for test in offers:
        if not is_allowed(test, options, slack) or test.gain < average - slack:
            continue
        is_simpler = best is not None and test.n_branches < best.n_branches
        margin = -slack if is_simpler else slack
        if best is None or test.score > best.score + margin:
            best = test
    return best


def must_stay_leaf(problem, options, node, depth):
    content = problem.content(node)
    weight = problem.weight(content)
    is_pure = sum(map(bool, content)) < 2 if problem.classes else not any(problem.spread(node))
    return (
        is_pure
        or depth >= options.max_depth
        or weight < max(options.min_split_units, 2 * options.min_leaf_units)
        or problem.impurity(node, options.criterion) <= options.min_impurity
    )


def share(problem, test, node):
    """Return the rows of each branch; what goes to every branch is shared by their weights.

    Parts are whole units, rounded down for each copy of a row; the heaviest branch takes the rest.
    """
    branches = [[] for _ in range(test.n_branches)]
    codes = problem.columns[test.column]
    for row, part in node:
        if test.branch(codes[row]) >= 0:
            branches[test.branch(codes[row])].append((row, part))
    weights = [sum(part for _, part in branch) for branch in branches]
    for row, part in node:
        if test.branch(codes[row]) >= 0:
            continue
        copies = problem.units[row] // problem.part_units if problem.part_units else 1
        parts = [int(part // copies * (weight / sum(weights))) for weight in weights]
        parts[weights.index(max(weights))] += part // copies - sum(parts)
        for branch, given in zip(branches, parts, strict=True):
            branch += [(row, copies * given)] if given else []
    return branches


@dataclass
class Grown:
    """A node of the grown tree."""

    node: list
    depth: int
    shown: object
    test: Test | None = None
    children: list = field(default_factory=list)


def grow(problem, options, shown=None):
    """Return the root of the grown tree; the leaf whose test gains most is split first."""
    root = Grown(list(enumerate(problem.units)), 0, shown)
    offers, n_leaves, age = [], 1, 0
    opened = [root]
    while opened or offers:
        for grown in opened:
            if must_stay_leaf(problem, options, grown.node, grown.depth):
                continue
            test = choose(problem, options, grown.node, grown.shown)
            if test is not None:
                weight = problem.impurity_weight(problem.content(grown.node))
                worth = float(f"{float(test.gain * weight):.11e}")  # equal to rounding is equal
                heapq.heappush(offers, (-worth, age := age + 1, grown, test))
        opened = []
        if not offers:
            break
        _, _, grown, test = heapq.heappop(offers)
        if options.max_leaves and n_leaves + test.n_branches - 1 > options.max_leaves:
            continue
        n_leaves += test.n_branches - 1
        grown.test = test
        for branch, rows in enumerate(share(problem, test, grown.node)):
            below = grown.shown.child(branch) if grown.shown is not None else None
            grown.children.append(Grown(rows, grown.depth + 1, below))
        opened = grown.children
    return root
