"""The gallery: charts that a script makes are its pictures, and scripts stand in a given order."""

from pathlib import Path
from typing import Any

__all__ = ["draw_charts", "in_reading_order"]

# From easy to long; a script that is missing here stops the build.
_ORDER = (
    "questions",
    "robot",
    "sine",
    "parity",
    "spam",
    "selection_bias",
    "leukemia",
    "pronunciation",
    "clicks",
    "stacking",
    "threes",
    "eigenfaces",
    "image_codes",
    "tanks",
    "pedestrians",
    "faces",
    "body_parts",
)
# Pictures that were shown; kept, because an id is only unique while its object lives.
_shown: dict[int, Any] = {}


class in_reading_order:  # noqa: N801 - sphinx-gallery calls it like a function
    """Sorts the scripts of a folder as they are read."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def __call__(self, file: str) -> int:
        """Return the place of a script; one without a place stops the build."""
        return _ORDER.index(Path(file).stem.removeprefix("plot_"))


def draw_charts(block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:
    """Save the charts that a block of a script has made, as SVG, and return their rst."""
    lines = []
    for name, value in list(block_vars["example_globals"].items()):
        drawing = _svg_of(value)
        if name.startswith("_") or drawing is None or id(value) in _shown:
            continue
        _shown[id(value)] = value
        path = Path(next(block_vars["image_path_iterator"])).with_suffix(".svg")
        path.write_text(drawing, encoding="utf-8")
        place = path.relative_to(gallery_conf["src_dir"]).as_posix()
        said = getattr(value, "text", None) or getattr(value, "caption", None) or name
        words = " ".join(str(said).split())
        lines += ["", f".. image:: /{place}", f"   :alt: {words}", "   :class: chart", ""]
    return "\n".join(lines)


def _svg_of(value: Any) -> str | None:
    """Return the SVG of a chart or of a drawn tree; None: something else."""
    if isinstance(value, type):
        return None
    if hasattr(value, "to_svg"):
        return str(value.to_svg())
    return str(value.svg) if hasattr(value, "caption") and hasattr(value, "svg") else None
