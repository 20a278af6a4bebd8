"""Neural networks."""

from collections.abc import Mapping

from branchline.catalog._entry import Entry, Plusses, Reference, Size
from branchline.catalog._spaces import Between, Space

__all__ = ["NEURAL"]


def _spaces(alphas: list[float]) -> Mapping[Size, Space]:
    """Return the spaces around the decays that suit a task."""
    return {
        "small": ({"hidden_layer_sizes": [(10,), (30,)], "alpha": alphas},),
        "medium": (
            {
                "hidden_layer_sizes": [(5,), (10,), (30,), (10, 10)],
                "alpha": alphas,
                "activation": ["tanh", "relu"],
            },
        ),
        "large": (
            {
                "hidden_layer_sizes": [(5,), (10,), (20,), (50,), (10, 10), (30, 15), (50, 50)],
                "alpha": Between(0.01, 100.0, log=True),
                "activation": ["tanh", "relu", "logistic"],
                "n_restarts": [1, 5],
            },
        ),
    }


NEURAL = (
    Entry(
        name="mlp",
        title="Multi-layer perceptron",
        family="neural",
        classes={
            "classification": "branchline.neural.MLPClassifier",
            "regression": "branchline.neural.MLPRegressor",
        },
        handles=frozenset({"sparse", "probabilities", "several_outputs"}),
        description=(
            "A neural network: layers of small units that each bend a weighted sum of the layer "
            "before. It can follow almost any smooth shape and is often the most accurate on "
            "numbers, but it takes long, must be tuned (units, decay), and cannot be read. "
            "Averaging several networks makes it steadier."
        ),
        reference=Reference(
            "Rumelhart, D. E., Hinton, G. E. and Williams, R. J.",
            "Learning representations by back-propagating errors. Nature 323, 533–536",
            1986,
        ),
        spaces={
            "classification": _spaces([1.0, 5.0, 20.0]),
            "regression": _spaces([0.1, 1.0, 10.0]),
        },
        aliases=("neural_network", "network", "neural"),
        plusses=Plusses(accuracy=4, efficiency=2, interpretability=1, ease=2),
    ),
)
