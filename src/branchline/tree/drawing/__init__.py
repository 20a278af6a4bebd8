"""Trees as pictures: SVG made here, without other programs, scripts or fonts to fetch."""

from branchline.tree.drawing._draw_tree import Notes, draw_tree
from branchline.tree.drawing._drawing import Drawing
from branchline.tree.drawing._highlight import nodes_of_path
from branchline.tree.drawing._miniature import miniature

__all__ = ["Drawing", "Notes", "draw_tree", "miniature", "nodes_of_path"]
