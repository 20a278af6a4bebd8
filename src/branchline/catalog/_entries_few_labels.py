"""Learners that learn from rows without a target, too."""

from collections.abc import Mapping

from branchline.catalog._entry import Entry, Reference, Size
from branchline.catalog._spaces import Space

__all__ = ["FEW_LABELS"]

_NOTHING_TO_TUNE: Mapping[Size, Space] = {"small": ({},), "medium": ({},), "large": ({},)}
_HANDLES = frozenset({"categories", "weights", "probabilities", "unlabeled"})
_ON_DISTANCES = _HANDLES | {"missing"}

FEW_LABELS = (
    Entry(
        name="self_training",
        title="Self-training",
        family="few labels",
        classes={"classification": "branchline.semi.SelfTraining"},
        handles=_HANDLES,
        description=(
            "Lets a learner (logistic regression unless another is chosen) label the rows without "
            "a target that it is surest of, and learn from them. Use it to get more out of the "
            "learner that suits the table. It checks itself on labeled rows left out, and goes "
            "back to the learner alone when its own labels did harm."
        ),
        reference=Reference(
            "Yarowsky, D.",
            "Unsupervised word sense disambiguation rivaling supervised methods. ACL, 189–196",
            1995,
        ),
        spaces={"classification": _NOTHING_TO_TUNE},
        aliases=("self_learning", "pseudo_labels"),
    ),
    Entry(
        name="s3vm",
        title="Semi-supervised support vector machine",
        family="few labels",
        classes={"classification": "branchline.svm.S3VM"},
        handles=_HANDLES,
        description=(
            "A support vector machine that also looks at rows without a target: its boundary "
            "passes where there are few rows. Use it when classes are apart and few rows have a "
            "label. Where the boundary runs through many rows it does harm. Without such rows it "
            "is a support vector machine."
        ),
        reference=Reference(
            "Joachims, T.",
            "Transductive inference for text classification using support vector machines. ICML, "
            "200–209",
            1999,
        ),
        spaces={"classification": _NOTHING_TO_TUNE},
        aliases=("tsvm", "transductive_svm"),
    ),
    Entry(
        name="label_propagation",
        title="Label propagation",
        family="few labels",
        classes={"classification": "branchline.semi.LabelPropagation"},
        handles=_ON_DISTANCES,
        description=(
            "Links each row with its nearest rows and lets labels go along the links, until every "
            "row without a target is the mean of its neighbors. Labels that were given are never "
            "changed. Use it when very few rows have a label and near rows are mostly alike; not "
            "when classes overlap."
        ),
        reference=Reference(
            "Zhu, X., Ghahramani, Z. and Lafferty, J.",
            "Semi-supervised learning using Gaussian fields and harmonic functions. ICML, 912–919",
            2003,
        ),
        spaces={"classification": _NOTHING_TO_TUNE},
        aliases=("harmonic",),
    ),
    Entry(
        name="label_spreading",
        title="Label spreading",
        family="few labels",
        classes={"classification": "branchline.semi.LabelSpreading"},
        handles=_ON_DISTANCES,
        description=(
            "Links each row with its nearest rows and lets each take shares of its neighbors' "
            "labels, keeping a part of its own. So labels that all neighbors contradict can "
            "change. Use it when few rows have a label and some labels may be wrong."
        ),
        reference=Reference(
            "Zhou, D., Bousquet, O., Lal, T. N., Weston, J. and Schölkopf, B.",
            "Learning with local and global consistency. NIPS 16, 321–328",
            2004,
        ),
        spaces={"classification": _NOTHING_TO_TUNE},
    ),
)
