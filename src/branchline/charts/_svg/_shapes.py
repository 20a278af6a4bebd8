"""Dots of different shapes, so that no color alone tells one class from another."""

from collections.abc import Iterable

from branchline._drawing import number

__all__ = ["symbols"]


def symbols(
    places: Iterable[tuple[float, float]], shape: str, size: float, look: str, *, many: bool
) -> str:
    """Return dots of one shape and size as one path."""
    looks = f"{look} many" if many else look
    if shape == "circle":
        # A line of no length with round ends is a dot in a dozen characters. (With square ends it
        # would be a square on a screen, and nothing on paper: browsers leave it out of a PDF.)
        steps = "".join(f"M{number(x)} {number(y)}h0" for x, y in places)
        return f'<path d="{steps}" class="dots {looks}" stroke-width="{number(size)}"/>'
    half = size / 2
    steps = "".join(_outline(shape, x, y, half) for x, y in places)
    kind = "open" if shape in {"cross", "plus", "ring"} else "shape"
    return f'<path d="{steps}" class="{kind} {looks}"/>'


def _outline(shape: str, x: float, y: float, half: float) -> str:
    at, to = number, f"{2 * half:.1f}"
    if shape == "square":
        side = at(1.7 * half)
        return f"M{at(x - 0.85 * half)} {at(y - 0.85 * half)}h{side}v{side}h-{side}z"
    if shape == "triangle":
        return f"M{at(x)} {at(y - 1.15 * half)}l{at(1.1 * half)} {at(2 * half)}h{at(-2.2 * half)}z"
    if shape == "diamond":
        side = at(1.25 * half)
        return f"M{at(x)} {at(y - 1.25 * half)}l{side} {side}l-{side} {side}l-{side} -{side}z"
    if shape == "cross":
        begin = f"M{at(x - half)} {at(y - half)}l{to} {to}"
        return f"{begin}M{at(x - half)} {at(y + half)}l{to} -{to}"
    if shape == "plus":
        return f"M{at(x - half)} {at(y)}h{to}M{at(x)} {at(y - half)}v{to}"
    r = at(half)
    return f"M{at(x - half)} {at(y)}a{r} {r} 0 1 0 {to} 0a{r} {r} 0 1 0 -{to} 0"
