"""A look as a piece of HTML: one table, one list, a little style; colors are the page's own."""

from html import escape

from branchline._drawing import spark_svg
from branchline.table.looking._look import ColumnLook, Look
from branchline.table.looking._look_text import headline, more_columns, remarks, values_words
from branchline.table.looking._look_words import clean, percent, shorten

__all__ = ["to_html"]

_MOST_COLUMNS = 200
_LONGEST_NAME = 60
_LONGEST_VALUES = 90
# Colors are those of the page around it: a dark notebook may stand on a light system.
_STYLE = """
.branchline-look{font:14px/1.45 system-ui,sans-serif;color:inherit;overflow-x:auto}
.branchline-look table{border-collapse:collapse;margin:.6em 0;font:inherit;color:inherit}
.branchline-look th,.branchline-look td{padding:.2em .8em .2em 0;text-align:left;vertical-align:top;
 border:0;border-bottom:1px solid color-mix(in srgb,currentColor 25%,transparent);
 color:inherit;background:transparent;white-space:pre-wrap}
.branchline-look th{font-weight:600}
.branchline-look .short{white-space:nowrap}
.branchline-look .number{text-align:right;font-variant-numeric:tabular-nums}
.branchline-look .quiet{color:color-mix(in srgb,currentColor 70%,transparent)}
.branchline-look ul{margin:.3em 0;padding-left:1.2em}
.branchline-look li{white-space:pre-wrap}
"""
_HEADINGS = (
    '<tr><th scope="col">column</th><th scope="col">kind</th>'
    '<th scope="col" class="short number">missing</th>'
    '<th scope="col" class="short number">distinct</th>'
    '<th scope="col" aria-hidden="true">shape</th>'
    '<th scope="col">lowest – median – highest, or most frequent</th></tr>'
)


def to_html(look: Look) -> str:
    """Return the look as a ``div`` that brings its own style; every text of the data is escaped."""
    rows = "\n".join(_row(column) for column in look.columns[:_MOST_COLUMNS])
    n_more = len(look.columns) - _MOST_COLUMNS
    more = f'<p class="quiet">… and {more_columns(n_more)}</p>' if n_more > 0 else ""
    items = "\n".join(
        f"<li><b>{escape(shorten(subject, _LONGEST_NAME))}</b>: {escape(text)}</li>"
        for subject, text in remarks(look)
    )
    said = f"<p>Worth a second look</p>\n<ul>\n{items}\n</ul>" if items else ""
    return (
        f'<div class="branchline-look">\n<style>{_STYLE}</style>\n<p>{escape(headline(look))}</p>\n'
        f"<table>\n<thead>{_HEADINGS}</thead>\n<tbody>\n{rows}\n</tbody>\n</table>\n{more}{said}\n"
        "</div>"
    )


def _row(column: ColumnLook) -> str:
    missing = '<span class="quiet">0</span>'
    spark = spark_svg(column.shape) if column.shape else ""
    if column.n_missing:
        missing = f"{column.n_missing:,} ({escape(percent(column.missing_share))})"
    return (
        f'<tr><th scope="row">{escape(shorten(clean(column.name), _LONGEST_NAME))}</th>'
        f'<td class="short"><span class="quiet">{escape(column.words)}</span></td>'
        f'<td class="short number">{missing}</td>'
        f'<td class="short number">{column.n_distinct:,}</td>'
        f'<td class="short" aria-hidden="true">{spark}</td>'
        f"<td>{escape(values_words(column, _LONGEST_VALUES))}</td></tr>"
    )
