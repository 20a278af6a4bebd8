"""How a chart looks: letters, lines and colors, as rules that hold for one chart or for a page.

Colors are written out in the rules (not as variables), because programs other than browsers read
SVG, too. Dark rules hold on screens only: paper stays light.
"""

from typing import Literal, TypeAlias

from branchline._drawing import DARK, LIGHT, N_COLORS

__all__ = ["LETTERS", "SMALL", "Theme", "page_style", "style"]

Theme: TypeAlias = Literal["auto", "light", "dark", "page"]

LETTERS, SMALL = 12.0, 11.0  # sizes of letters in pixels
_FONTS = 'system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif'
_RULES = (
    "text{fill:currentColor;font-size:12px}",
    ".small{font-size:11px}",
    ".head{font-size:14px;font-weight:600}",
    ".strong{font-weight:600}",
    ".end{text-anchor:end}",
    ".mid{text-anchor:middle}",
    ".line{fill:none;stroke:currentColor;stroke-width:2;stroke-linejoin:round}",
    ".thin{stroke-width:1}",
    ".faint{stroke-width:1;stroke-opacity:.3}",
    ".dashed{stroke-dasharray:5 4;stroke-width:1.5}",
    ".fill{fill:currentColor}",
    ".band{fill:currentColor;fill-opacity:.2}",
    ".part{fill:currentColor;fill-opacity:.55}",
    ".dots{fill:none;stroke:currentColor;stroke-linecap:round}",
    ".shape{fill:currentColor;stroke:none}",
    ".open{fill:none;stroke:currentColor;stroke-width:1.6}",
    ".many{opacity:.55}",
    ".whisker{stroke:currentColor;stroke-width:1.5;fill:none}",
    ".interval{fill:currentColor;fill-opacity:.35}",
    ".cell{fill:none;stroke-width:1;stroke:currentColor}",
)


def style(scope: str, theme: Theme = "auto") -> str:
    """Return the rules for the chart, or for all charts of a page, that ``scope`` selects."""
    colors = DARK if theme == "dark" else LIGHT
    rules = f"{scope}{{font-family:{_FONTS};font-size:12px}}"
    rules += "".join(f"{scope} {rule}" for rule in _RULES) + _colored(scope, colors)
    if theme in {"auto", "page"}:
        rules += f"@media screen and (prefers-color-scheme:dark){{{_colored(scope, DARK)}}}"
    return rules


def page_style() -> str:
    """Return the rules that a page states once for all charts that were drawn for a page.

    See Also
    --------
    save_svg : write a drawing that exists as SVG, such as a tree.
    Chart : a chart, as data.

    Examples
    --------
    >>> from branchline.charts import page_style
    >>> page_style().count("prefers-color-scheme") > 0
    True
    """
    return style("svg.blc", "page") + "svg.blc{max-width:100%;height:auto}"


def _colored(scope: str, colors: dict[str, str]) -> str:
    names = ["ink", "quiet", "rule", *(f"c{place}" for place in range(N_COLORS))]
    rules = "".join(f"{scope} .{name}{{color:{colors[name]}}}" for name in names)
    return (
        f"{rules}{scope} .ground{{fill:{colors['ground']}}}"
        f"{scope} .halo{{paint-order:stroke;stroke:{colors['ground']};stroke-width:5px;"
        "stroke-linejoin:round}"
    )
