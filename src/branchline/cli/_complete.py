"""Names that a shell may complete; whatever they need is imported when Tab is pressed."""

from branchline.errors import ERROR_CODES

__all__ = ["dataset_names", "error_codes", "learner_names", "metric_names", "selector_names"]


def learner_names(incomplete: str) -> list[str]:
    """Return the learners, after the names that are there: tree,log → tree,logistic."""
    from branchline import catalog

    before, comma, begun = incomplete.rpartition(",")
    words = ("fast", "all", "few_labels", *catalog.names()) if not comma else catalog.names()
    return [before + comma + name for name in words if name.startswith(begun)]


def metric_names(incomplete: str) -> list[str]:
    """Return the metrics."""
    from branchline.assess import METRICS

    return [name for name in METRICS if name.startswith(incomplete)]


def selector_names(incomplete: str) -> list[str]:
    """Return the selectors."""
    from branchline.features import SELECTOR_NAMES

    return [name for name in SELECTOR_NAMES if name.startswith(incomplete)]


def dataset_names(incomplete: str) -> list[str]:
    """Return the bundled data sets."""
    from branchline.table import dataset_names as names

    return [name for name in names() if name.startswith(incomplete)]


def error_codes(incomplete: str) -> list[str]:
    """Return the codes of errors."""
    return [code for code in ERROR_CODES if code.startswith(incomplete.upper())]
