"""Small histograms that fit into a line of text or a cell of a table."""

from collections.abc import Sequence

__all__ = ["SPARK_PLACES", "spark_svg", "spark_text"]

SPARK_PLACES = 8
_BLOCKS = "▁▂▃▄▅▆▇█"
_ASCII = "_.-=+*%#"
_HIGH, _WIDE = 16, 7


def spark_text(counts: Sequence[int], *, ascii_only: bool = False) -> str:
    """Return a character for each count, the higher the more; a blank for none.

    Examples
    --------
    >>> from branchline._drawing import spark_text
    >>> spark_text([1, 4, 8, 0, 2])
    '▁▄█ ▂'
    """
    letters = _ASCII if ascii_only else _BLOCKS
    most = max(counts, default=0)
    return "".join(letters[_level(count, most)] if count else " " for count in counts)


def _level(count: int, most: int) -> int:
    """Return 0 to 7; the least that is there is still seen."""
    return max(0, -(-8 * count // most) - 1)


def spark_svg(counts: Sequence[int]) -> str:
    """Return bars in the color of the text around them, hidden from readers that speak."""
    most = max(counts, default=0)
    bars = []
    for place, count in enumerate(counts):
        if count:
            high = max(1.0, round(_HIGH * count / most, 1))
            bars.append(f"M{_WIDE * place} {_HIGH}v-{high:g}h{_WIDE - 1}v{high:g}z")
    width = _WIDE * max(1, len(counts))
    return (
        f'<svg class="spark" width="{width}" height="{_HIGH}" viewBox="0 0 {width} {_HIGH}" '
        f'aria-hidden="true"><path d="{"".join(bars)}" fill="currentColor" '
        'fill-opacity=".55"/></svg>'
    )
