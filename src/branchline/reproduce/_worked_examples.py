"""Every worked number that books print and the library computes, side by side."""

from collections.abc import Callable

from branchline.reproduce._reproduction import Line, Reproduction
from branchline.reproduce._worked_counts import count_examples
from branchline.reproduce._worked_machines import machine_examples
from branchline.reproduce._worked_scores import score_examples
from branchline.reproduce._worked_trees import tree_examples

__all__ = ["worked_examples"]

_PARTS = (tree_examples, count_examples, machine_examples, score_examples)


def worked_examples(*, tell: Callable[[str], None] | None = None) -> Reproduction:
    """Compute the worked examples of trees, machines, neighbors and metrics beside printed ones.

    Parameters
    ----------
    tell
        Called with a sentence whenever an example is done. Default None: nothing is called.

    See Also
    --------
    Reproduction : a published table beside ours.

    Examples
    --------
    >>> from branchline.reproduce import worked_examples
    >>> worked_examples().agrees
    True
    """
    lines: list[Line] = []
    for part in _PARTS:
        found = part()
        lines += found
        if tell is not None:
            tell(f"{sum(len(line.figures) for line in found)} figures of {len(found)} examples")
    return Reproduction("Worked examples", tuple(lines), "equal to the digits printed")
