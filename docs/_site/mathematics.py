"""Formulas as MathML, which browsers draw by themselves: no script, nothing fetched."""

from typing import Any

from docutils import nodes
from docutils.utils.math import latex2mathml

__all__ = ["setup"]


def _inline(writer: Any, node: nodes.Element) -> None:
    writer.body.append(_mathml(node.astext(), is_block=False))
    raise nodes.SkipNode


def _block(writer: Any, node: nodes.Element) -> None:
    writer.body.append(f'<div class="formula">{_mathml(node.astext(), is_block=True)}</div>')
    raise nodes.SkipNode


def _mathml(tex: str, is_block: bool) -> str:
    """Return a formula; one that cannot be read stops the build."""
    tree = latex2mathml.tex2mathml(tex.strip(), as_block=is_block)
    return str(tree)


def setup(app: Any) -> dict[str, bool]:
    """Tell Sphinx how formulas are written."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    app.config.html_math_renderer = "mathml"
    return {"parallel_read_safe": True, "parallel_write_safe": True}
