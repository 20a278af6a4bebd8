"""Colors of charts on light and on dark ground, in the order of the class colors of trees.

Each has a contrast of at least 3 with its ground, words ("ink", "quiet") of at least 4.5. Any two
of the first six differ, in OKLab, by at least 0.09 for readers without red, green or blue cones too
(Machado, Oliveira and Fernandes 2009). Marks differ in shape or dashes as well.
"""

__all__ = ["DARK", "LIGHT", "N_COLORS"]

LIGHT = {
    "ground": "#ffffff",
    "ink": "#1f2328",
    "quiet": "#57606a",
    "rule": "#d8dee4",
    "c0": "#1f5fa8",  # blue
    "c1": "#c96a00",  # orange
    "c2": "#1f9e7a",  # green
    "c3": "#8f125c",  # wine
    "c4": "#8e69dd",  # violet
    "c5": "#b44209",  # red
    "c6": "#7b8bc7",  # pale blue
    "c7": "#6a4305",  # brown
}
DARK = {
    "ground": "#14181d",
    "ink": "#e6edf3",
    "quiet": "#a3adb8",
    "rule": "#3a424c",
    "c0": "#69a5f7",
    "c1": "#f2a65e",
    "c2": "#2ed7a9",
    "c3": "#d54c9d",
    "c4": "#c4bdff",
    "c5": "#ee1518",
    "c6": "#a6b0d6",
    "c7": "#b98b50",
}
N_COLORS = 8
