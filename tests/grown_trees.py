"""Trees of every shape for tests, grown by a few slow lines that share nothing with the kernels.

``grow`` tries thresholds, presence, subsets and one branch for each category, and takes the test of
least impurity; with ``chance`` it takes any test, so that trees get every shape. Missing values go
to the largest branch ("largest"), stay ("stay"), go to every branch ("every"), or get a branch of
their own where there are some ("own").
"""

from dataclasses import dataclass
from functools import cache

import numpy as np

from branchline import Table, load_dataset
from branchline._trees._tree_arrays import (
    CATEGORIES,
    EVERY_BRANCH,
    LEAF,
    STAY,
    THRESHOLD_TEST,
    Scale,
    TreeArrays,
)
from branchline._trees._tree_state import fill_inner_nodes

BITS = 20
DATASETS = {
    "iris": ("species", ()),
    "votes84": ("party", ()),
    "heart": ("disease", ()),
    "titanic": ("survived", ("name", "ticket", "cabin", "boat", "body", "home.dest")),
    "german-credit": ("class", ()),
    "tennis": ("play", ()),
    "auto-mpg": ("mpg", ("car_name",)),
}


@dataclass
class Split:
    kind: int
    feature: int
    threshold: float
    missing: int
    branch: np.ndarray  # of each category, for category tests
    n_branches: int


@dataclass(frozen=True)
class Grown:
    tree: TreeArrays
    table: Table
    classes: np.ndarray | None
    target: np.ndarray  # class indices or numbers
    weights: np.ndarray

    @property
    def schema(self):
        return self.table.schema

    @property
    def words(self):
        """The three arguments that every function about trees begins with."""
        return self.tree, self.schema, self.classes


@cache
def dataset(name):
    """Return inputs and target; every test of a process gets the same."""
    target, dropped = DATASETS[name]
    table = load_dataset(name)
    X, y = table.split_target(target)
    return X.drop([column for column in dropped if column in X.names]), y


@cache
def grow_dataset(name, **options):
    """Return the tree of a table; every test of a process gets the same."""
    return grow(*dataset(name), **options)


def grow(
    table, y, *, weights=None, depth=4, least=2, missing="largest", multiway=False, chance=None
):
    y = np.asarray(y)
    is_class = y.dtype.kind not in "fc"
    classes, target = np.unique(y, return_inverse=True) if is_class else (None, y.astype(float))
    weights = np.ones(len(y), dtype=np.int64) if weights is None else np.asarray(weights)
    grower = _Grower(table, target, weights, len(classes) if is_class else 0)
    grower.run(depth, least, missing, multiway, chance)
    return Grown(grower.assemble(), table, classes, target, weights.astype(float))


class _Grower:
    def __init__(self, table, target, weights, n_classes):
        self.columns = [
            (column.values.astype(np.int64), len(column.categories))
            if column.kind == "category"
            else (column.numbers().astype(float), -1)
            for column in table.columns
        ]
        self.target, self.weights, self.n_classes = target, weights, n_classes
        outputs = target if n_classes else target.reshape(len(target), -1)
        self.one_hot = np.eye(n_classes)[target] if n_classes else outputs

    def run(self, depth, least, missing, multiway, chance):
        self.splits, self.rows = [None], [np.arange(len(self.target))]
        self.first, level = [-1], [0]
        for _ in range(depth):
            following = []
            for node in level:
                split = self.choose(self.rows[node], least, missing, multiway, chance)
                if split is None:
                    continue
                self.splits[node], self.first[node] = split, len(self.splits)
                branch = branch_of(
                    split, *self.columns[split.feature], self.rows[node], self.heaviest
                )
                for place in range(split.n_branches):
                    following.append(len(self.splits))
                    self.splits.append(None)
                    self.first.append(-1)
                    self.rows.append(self.rows[node][branch == place])
            level = following

    def choose(self, rows, least, missing, multiway, chance):
        if self.badness(rows) <= 1e-9:
            return None
        found = []
        for feature in range(len(self.columns)):
            for split in self.candidates(feature, rows, missing, multiway):
                branch = branch_of(split, *self.columns[feature], rows, self.heaviest)
                sizes = np.bincount(branch + 1, minlength=split.n_branches + 1)
                if sizes[0] == 0 and sizes[1:].min() >= least:
                    found.append((sum(self.badness(rows[branch == b]) for b in set(branch)), split))
        if not found:
            return None
        if chance is not None:
            return found[chance.integers(len(found))][1]
        best = min(found, key=lambda pair: pair[0])
        return best[1] if best[0] < self.badness(rows) - 1e-9 else None

    def badness(self, rows):
        weight = self.weights[rows][:, None]
        total = (self.one_hot[rows] * weight).sum(axis=0)
        squares = (self.one_hot[rows] ** 2 * weight).sum()
        return squares - (total**2).sum() / max(weight.sum(), 1)

    def heaviest(self, rows, branch, n_branches):
        return int(np.argmax(np.bincount(branch, self.weights[rows], n_branches)))

    def candidates(self, feature, rows, missing, multiway):
        values, n_categories = self.columns[feature]
        given = values[rows]
        holes = np.isnan(given) if n_categories < 0 else given < 0
        present = np.unique(given[~holes])
        own = missing == "own" and holes.any()
        plain = {"largest": None, "stay": STAY, "every": EVERY_BRANCH, "own": None}[missing]
        if n_categories < 0:
            middles = (present[1:] + present[:-1]) / 2
            for threshold in middles[:: 1 + len(middles) // 12]:
                yield Split(THRESHOLD_TEST, feature, threshold, 2 if own else plain, None, 2 + own)
            if holes.any() and len(present) and missing == "largest":
                yield Split(THRESHOLD_TEST, feature, np.inf, 1, None, 2)
        elif multiway and len(present) > 1:
            branch = np.full(n_categories, -1)
            branch[present] = np.arange(len(present))
            stay = STAY if plain is None else plain
            last = len(present) if own else stay
            yield Split(CATEGORIES, feature, 0.0, last, branch, len(present) + own)
        elif not multiway:
            response = [self.one_hot[rows][given == code].mean(axis=0)[0] for code in present]
            order = present[np.argsort(response, kind="stable")]
            for cut in range(1, len(order)):
                branch = np.ones(n_categories, dtype=int)
                branch[order[:cut]] = 0
                yield Split(CATEGORIES, feature, 0.0, 2 if own else plain, branch, 2 + own)

    def assemble(self):
        n_nodes, n_outputs = len(self.splits), 0 if self.n_classes else self.one_hot.shape[1]
        center = None if self.n_classes else tuple(self.one_hot.mean(axis=0).tolist())
        scale = Scale() if self.n_classes else Scale(1.0, center, BITS)
        content = np.zeros((n_nodes, self.n_classes or 1 + n_outputs), dtype=np.int64)
        spread = np.zeros((n_nodes, n_outputs))
        for node, split in enumerate(self.splits):
            if split is None:
                self.fill_leaf(node, content, spread, center)
        first = np.array(self.first, dtype=np.int32)
        n_children = np.array(
            [0 if s is None else s.n_branches for s in self.splits], dtype=np.int32
        )
        spread = fill_inner_nodes(content, spread, first, n_children, scale)
        pools = [s.branch for s in self.splits if s is not None and s.kind == CATEGORIES]
        sizes = [len(s.branch) if s and s.kind == CATEGORIES else 0 for s in self.splits]
        offset = np.where(np.array(sizes) > 0, np.cumsum(sizes) - sizes, 0)

        def of_tests(value, otherwise, dtype):
            return np.array(
                [otherwise if s is None else value(s) for s in self.splits], dtype=dtype
            )

        return TreeArrays(
            kind=of_tests(lambda s: s.kind, LEAF, np.uint8),
            feature=of_tests(lambda s: s.feature, -1, np.int32),
            threshold=of_tests(lambda s: s.threshold, 0.0, np.float64),
            first_child=first,
            n_children=n_children,
            missing_branch=of_tests(lambda s: s.missing, -1, np.int32),
            pool_offset=offset.astype(np.int64),
            pool=np.concatenate(pools).astype(np.int32) if pools else np.empty(0, np.int32),
            content=content,
            spread=spread,
            scale=scale,
        )

    def fill_leaf(self, node, content, spread, center):
        rows = self.rows[node]
        weight = self.weights[rows]
        if self.n_classes:
            content[node] = np.bincount(self.target[rows], weight, self.n_classes)
            return
        offset = np.rint((self.one_hot[rows] - center) * 2**BITS)
        content[node] = [weight.sum(), *(offset * weight[:, None]).sum(axis=0)]
        mean = np.average(self.one_hot[rows], axis=0, weights=weight)
        spread[node] = (weight[:, None] * (self.one_hot[rows] - mean) ** 2).sum(axis=0)


def branch_of(split, values, n_categories, rows, heaviest):
    """Return the branch of each row; settles where missing values go, when that is still open."""
    given = values[rows]
    holes = np.isnan(given) if n_categories < 0 else given < 0
    if n_categories < 0:
        branch = np.where(given <= split.threshold, 0, 1)
    else:
        branch = split.branch[np.maximum(given, 0)]
    if split.missing is None:
        split.missing = heaviest(rows[~holes], branch[~holes], split.n_branches)
    goes_to = split.missing
    if split.missing == EVERY_BRANCH:
        goes_to = heaviest(rows[~holes], branch[~holes], split.n_branches)
    return np.where(holes, goes_to, branch)


def chain(n_tests):
    """Return a tree of two classes as deep as it has tests: x ≤ 1, x ≤ 2, …, and its table."""
    n_nodes = 2 * n_tests + 1
    node = np.arange(n_nodes)
    inner = (node % 2 == 0) & (node < n_nodes - 1)
    content = np.zeros((n_nodes, 2), dtype=np.int64)
    content[~inner, (node[~inner] // 2) % 2] = 1
    first = np.where(inner, node + 1, -1).astype(np.int32)
    n_children = np.where(inner, 2, 0).astype(np.int32)
    content[0::2] = np.cumsum(content[::-1], axis=0)[::-1][0::2]
    tree = TreeArrays(
        kind=inner.astype(np.uint8),
        feature=np.where(inner, 0, -1).astype(np.int32),
        threshold=np.where(inner, node / 2 + 1, 0.0),
        first_child=first,
        n_children=n_children,
        missing_branch=np.where(inner, 1, -1).astype(np.int32),
        pool_offset=np.zeros(n_nodes, dtype=np.int64),
        pool=np.empty(0, dtype=np.int32),
        content=content,
        spread=np.zeros((n_nodes, 0)),
        scale=Scale(),
    )
    table = Table({"x": np.arange(1, n_tests + 2, dtype=float)})
    return Grown(tree, table, np.array(["a", "b"]), (node[~inner] // 2) % 2, np.ones(n_tests + 1))
