"""A printed number beside ours: equal when ours is within half a unit of its last digit."""

from collections.abc import Iterable, Mapping

from branchline.reproduce._reproduction import Figure

__all__ = ["counted", "figure", "figures", "worded"]


def figure(name: str, printed: float, ours: float, digits: int) -> Figure:
    """Return a figure with ``digits`` printed digits after the point."""
    is_equal = abs(float(ours) - printed) <= 0.5 * 10.0**-digits + 1e-12
    return Figure(name, printed, float(ours), is_equal, digits)


def figures(printed: Mapping[str, float], ours: Iterable[float], digits: int) -> list[Figure]:
    """Return a figure for each name, in order."""
    pairs = zip(printed.items(), ours, strict=True)
    return [figure(name, value, number, digits) for (name, value), number in pairs]


def counted(name: str, printed: int, ours: int) -> Figure:
    """Return a figure of whole numbers."""
    return figure(name, printed, ours, 0)


def worded(name: str, printed: object, ours: object) -> Figure:
    """Return a figure of words: equal when they are the same."""
    return Figure(name, str(printed), str(ours), str(printed) == str(ours))
