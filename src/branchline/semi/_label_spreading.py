"""Label spreading: rows take shares of their neighbors' labels, and labels may be corrected.

1. A sparse graph links each row with its nearest neighbors (``_row_graph``).
2. With w_ij the weight of a link, m the mass of equal rows and d_i = Σ_j m_j w_ij,

       f_i = α Σ_j m_j w_ij f_j / √(d_i d_j) + (1 − α) y_i,

   y_i being 1 for the label that was given and 0 elsewhere.
3. Where iterating this ends is found at once: with g = √m f it is (I − α S) g = (1 − α) √m y, a
   symmetric and positive definite system (``_sparse_equations``).

D. Zhou, O. Bousquet, T. N. Lal, J. Weston and B. Schölkopf, Learning with local and global
consistency, 2004.
"""

from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from branchline._arrays import Floats
from branchline._sparse_equations import solve_sparse
from branchline._validation import Constraint, Real
from branchline.semi._graph_classifier import GraphClassifier

__all__ = ["LabelSpreading"]


class LabelSpreading(GraphClassifier):
    """Spread a few labels over a table; labels that their neighbors contradict may change.

    Use it when few rows have a label, near rows are mostly of one class, and some labels may be
    wrong. It takes any table: numbers and categories may be mixed, and cells may be missing. Rows
    whose target is missing are unlabeled. To keep all labels as they are, use
    ``LabelPropagation``.

    It does not help when classes overlap: let ``compare`` say whether the unlabeled rows helped.

    Parameters
    ----------
    n_neighbors
        Number of nearest rows that each row is linked with. Larger values smooth more. Default 7.
    alpha
        How much a row takes from its neighbors, above 0 and up to 0.999; the rest is its own label.
        Larger values carry labels farther. Default 0.9.
    metric
        How rows are compared, as in ``cluster.distances``. Default "auto".
    standardize
        Whether numbers are divided by their standard deviation; default only with "auto". False
        suits columns of one unit, such as pixels.
    n_jobs
        Number of threads; None (default): all cores. Results do not depend on it.

    Attributes
    ----------
    classes_
        The classes, sorted.
    transduction_
        The class of each row that ``fit`` was given, also where another label was given. A loaded
        model has none.
    label_distributions_
        The share of each class in each of these rows, likewise.
    n_linked_
        How many parts of the graph had no label and were linked with the nearest part that has.

    See Also
    --------
    LabelPropagation : spread a few labels over a table.
    SelfTraining : let any classifier learn from unlabeled rows.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.semi import LabelSpreading
    >>> X, y = load_dataset("iris").split_target("species")
    >>> few = [name if row % 25 == 0 else None for row, name in enumerate(y)]
    >>> model = LabelSpreading().fit(X, few)  # six rows have a label
    >>> round(float((model.transduction_ == y).mean()), 3)
    0.847
    """

    _constraints: ClassVar[dict[str, Constraint]] = {
        **GraphClassifier._constraints,
        "alpha": Real(0.0, 0.999, low_open=True),
    }

    def __init__(
        self,
        n_neighbors: int = 7,
        *,
        alpha: float = 0.9,
        metric: str = "auto",
        standardize: bool | str = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.alpha = alpha
        self.metric = metric
        self.standardize = standardize
        self.n_jobs = n_jobs

    def _spread(self, graph: Any, mass: Floats, known: Floats) -> Floats:
        degrees = np.asarray(graph @ mass)
        root = np.sqrt(mass)
        scale = np.divide(root, np.sqrt(degrees), out=np.zeros_like(root), where=degrees > 0)
        similar = sparse.diags_array(scale) @ graph @ sparse.diags_array(scale)
        equations = sparse.eye_array(len(mass)) - self.alpha * similar
        right = (1 - self.alpha) * root[:, None] * known
        return solve_sparse(equations.tocsr(), right) / root[:, None]
