"""A Gaussian process in words and as a chart: which columns matter, by their length scales."""

import math
from collections.abc import Iterator
from typing import Any

from branchline._plain_numbers import count, number
from branchline.charts import Bar, Chart, bar_rows
from branchline.errors import ParameterError, Repair
from branchline.kernels import ARD, FittedKernel, Kernel

__all__ = ["length_chart", "length_scales", "process_as_text"]

_SHOWN = 10
_DRAWN = 20
_FAR = 1e4  # standard deviations: a column with such a length scale does not matter


def length_scales(kernel: FittedKernel) -> dict[str, float]:
    """Return the length scale of each column, the shortest of several kernels, shortest first."""
    found: dict[str, float] = {}
    for part in _leaves(kernel.kernel):
        names = part.columns or kernel.schema.names
        several = isinstance(part.length_scales, tuple)
        lengths = part.length_scales if several else (part.length_scales,) * len(names)
        for name, length in zip(names, lengths, strict=True):
            found[name] = min(length, found.get(name, math.inf))
    return dict(sorted(found.items(), key=lambda item: item[1]))


def _leaves(kernel: Kernel) -> Iterator[Any]:
    if isinstance(kernel, ARD):
        yield kernel
    for part in getattr(kernel, "parts", ()):
        yield from _leaves(part)


def process_as_text(model: Any) -> str:
    """Return a fitted process as text."""
    how = "exact" if model._posterior.inner is None else "sparse"
    lines = [
        f"{how} Gaussian process on {count(len(model.support_), 'row')}, "
        f"log marginal likelihood {number(model.log_marginal_likelihood_)}",
        f"standard deviation of the noise: {number(model.noise_)}",
        f"root mean squared error when each row is left out: {number(math.sqrt(model.loo_error_))}",
    ]
    lengths = model.length_scales_
    if not lengths:
        return "\n".join([*lines, f"kernel: {model.kernel_.kernel!r}"])
    lines.append("length scales of columns (short: the column matters)")
    for name, length in list(lengths.items())[:_SHOWN]:
        lines.append(f"  {name}: {number(length) if length < _FAR else 'does not matter'}")
    if len(lengths) > _SHOWN:
        lines.append(f"  and {count(len(lengths) - _SHOWN, 'column')} more")
    return "\n".join(lines)


def length_chart(model: Any) -> Chart:
    """Return 1 / ℓ of each column as bars: the longer, the more the column matters."""
    lengths = model.length_scales_
    bars = [
        Bar(name, 1 / length, f"{name}: length scale {number(length)}")
        for name, length in list(lengths.items())[:_DRAWN]
    ]
    if not bars:
        raise ParameterError(
            f"The kernel {model.kernel_.kernel!r} has no length scale for each column to draw.",
            code="P891",
            repair=Repair("model.set_params(kernel='ard').fit(X, y)"),
        )
    left_out = len(lengths) - len(bars)
    note = f"{count(left_out, 'column')} with longer scales not shown." if left_out else ""
    return bar_rows(bars, "1 / length scale", "How much each column matters", note=note)
