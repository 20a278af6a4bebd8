"""Vector quantization: an image as a list of codes for its 2 × 2 blocks.

1. An image of 1024 × 1024 pixels of 8 bits: simulated, with smooth shades, edges and texture.
2. Each block of 2 × 2 pixels is a row of four numbers; k-means finds K of them, the codes.
3. Only the code of each block is stored: log2(K) bits for 4 pixels, log2(K) / 4 bits a pixel. The
   printed ones are 1.91 for 200 codes and 0.50 for 4, in place of 8.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from branchline._arrays import Floats
from branchline._plain_numbers import fixed, number
from branchline._validation import Flag, check_parameters, check_seed
from branchline.charts import Images
from branchline.cluster import KMeans
from branchline.reproduce._drawn import DrawnReproduction, claim
from branchline.reproduce._reproduction import Figure, Line

__all__ = ["image_codes"]

_PRINTED = {200: 1.91, 4: 0.50}
_BLOCK, _WHITE = 2, 255
_SIDE, _QUICK_SIDE, _SHOWN = 1024, 128, 128


def image_codes(
    *, quick: bool = False, random_state: Any = 0, tell: Callable[[str], None] | None = None
) -> DrawnReproduction:
    """Store an image as codes of its blocks, with 200 and with 4 codes.

    Parameters
    ----------
    quick
        An image of 128 × 128 pixels. Default False.
    random_state
        The seed of the image and of the codes. Default 0.
    tell
        Called with a sentence for each number of codes. Default None: nothing is called.

    See Also
    --------
    DrawnReproduction : a published picture, made anew.

    Examples
    --------
    >>> from branchline.reproduce import image_codes
    >>> [line.figures[0].shown("ours") for line in image_codes(quick=True).lines[:2]]
    ['1.91', '0.50']
    """
    check_parameters("image_codes", {"quick": quick}, {"quick": Flag()})
    seed = check_seed(random_state)
    image = _image(_QUICK_SIDE if quick else _SIDE, seed)
    lines, errors, shown = [], [], [image]
    for n_codes, printed in _PRINTED.items():
        coded, n_bits = _coded(image, n_codes, seed)
        errors.append(float(np.sqrt(((coded - image) ** 2).mean())))
        figure = Figure("bits a pixel", printed, n_bits, round(n_bits, 2) == printed, digits=2)
        lines.append(Line(f"{n_codes} codes", (figure,)))
        shown.append(coded)
        if tell is not None:
            tell(f"{n_codes} codes: root mean squared error {fixed(errors[-1], 1)} of {_WHITE}")
    better = claim("errors", "more codes, less error", errors[0] < errors[1],
                   f"{fixed(errors[0], 1)} and {fixed(errors[1], 1)} of {_WHITE}")  # fmt: skip
    return DrawnReproduction(
        f"Vector quantization of a simulated image, {len(image)} × {len(image)} pixels of 8 bits, "
        f"in blocks of {_BLOCK} × {_BLOCK}",
        (*lines, better),
        "equal to two digits",
        ("The list of codes itself is not counted.",),
        picture=_picture(shown, errors),
    )


def _image(side: int, seed: int) -> Floats:
    """Return an image with smooth shades, an edge, discs and a fine texture."""
    generator = np.random.default_rng(seed)
    y, x = np.mgrid[0:side, 0:side] / side
    shades = 110 + 60 * np.sin(2 * np.pi * (x + 0.3 * np.sin(4 * y))) * np.cos(3 * y)
    shades += 60 * (x + y > 1.05)
    for _ in range(12):
        middle, radius = generator.uniform(0, 1, 2), generator.uniform(0.02, 0.12)
        inside = np.hypot(x - middle[0], y - middle[1]) < radius
        shades[inside] = generator.uniform(0, _WHITE) + 40 * (x - middle[0])[inside] / radius
    shades += 12 * np.sin(90 * x) * np.sin(70 * y) + generator.normal(0, 6, (side, side))
    return np.asarray(np.clip(np.round(shades), 0, _WHITE))


def _coded(image: Floats, n_codes: int, seed: int) -> tuple[Floats, float]:
    """Return the image made of codes, and how many bits a pixel takes."""
    side = len(image)
    half = side // _BLOCK
    blocks = image.reshape(half, _BLOCK, half, _BLOCK).transpose(0, 2, 1, 3).reshape(-1, _BLOCK**2)
    model = KMeans(n_codes, n_init=1, standardize=False, random_state=seed).fit(blocks)
    code = np.asarray(model.labels_)
    sums = np.zeros((n_codes, blocks.shape[1]))
    np.add.at(sums, code, blocks)
    codes = np.round(sums / np.bincount(code, minlength=n_codes)[:, None])
    coded = codes[code].reshape(half, half, _BLOCK, _BLOCK).transpose(0, 2, 1, 3)
    return coded.reshape(side, side), float(np.log2(len(codes)) / blocks.shape[1])


def _picture(images: list[Floats], errors: list[float]) -> Images:
    start = (len(images[0]) - _SHOWN) // 2
    part = slice(start, start + _SHOWN)
    captions = ["8 bits a pixel"]
    captions += [
        f"{n} codes, {fixed(bits, 2)} bits, error {number(error, 2)}"
        for (n, bits), error in zip(_PRINTED.items(), errors, strict=True)
    ]
    note = f"The {_SHOWN} × {_SHOWN} pixels in the middle; the error is a root mean square."
    title = "An image as codes of its blocks"
    return Images(
        tuple(one[part, part] for one in images), tuple(captions), 3, title, note, (0.0, _WHITE)
    )
