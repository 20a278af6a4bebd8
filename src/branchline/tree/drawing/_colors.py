"""Colors that stay apart for every eye, on light and on dark ground.

The ten class colors were searched so that any two differ, in OKLab, by at least 0.085 for readers
without red, green or blue cones (Machado, Oliveira and Fernandes 2009) and by 0.13 for others;
the first ones differ most. Classes beyond ten share a gray. Means go from blue to orange.
"""

import numpy as np
import numpy.typing as npt

__all__ = ["CLASS_COLORS", "MEAN_COLORS", "OTHER_COLOR", "color_styles", "colored_classes"]

CLASS_COLORS = (
    "#1f73b6",  # blue
    "#eb9a04",  # orange
    "#44c89e",  # mint
    "#a51069",  # wine
    "#c684ec",  # orchid
    "#f13d1f",  # red
    "#b1bfef",  # pale blue
    "#7b4704",  # brown
    "#9057f1",  # violet
    "#a95d6c",  # old rose
)
OTHER_COLOR = "#8b949e"
MEAN_COLORS = ("#1a5a9e", "#3f82c4", "#7fabd6", "#9a9a9a", "#dda15e", "#e07b1a", "#b34700")


def color_styles(*, is_classification: bool) -> list[str]:
    """Return the style rules c0, c1, … (and cx for other classes) that fill with a color."""
    colors = CLASS_COLORS if is_classification else MEAN_COLORS
    rules = [f".c{place}{{fill:{color}}}" for place, color in enumerate(colors)]
    return [*rules, f".cx{{fill:{OTHER_COLOR}}}"]


def colored_classes(frequencies: npt.NDArray[np.float64]) -> dict[int, int]:
    """Return the color of each class that has one: of all, or of the most frequent."""
    if len(frequencies) <= len(CLASS_COLORS):
        return {place: place for place in range(len(frequencies))}
    frequent = np.argsort(-frequencies, kind="stable")[: len(CLASS_COLORS)]
    return {int(place): color for color, place in enumerate(sorted(frequent.tolist()))}
