"""Damaged and forged model files: each must be refused with one typed error, or be safe to use.

Mutants of real models of every estimator and of trees of every make, in seven kinds:

1. *bytes*: bits flipped, bytes put in, taken out, repeated, zeroed; files cut short or spliced;
2. *container*: the same content in a zip file of another make (comments, order, methods, headers);
3. *manifest*: fields changed, deleted, doubled, moved, retyped at any depth, in a sound container;
4. *arrays*: values changed, checksums and sizes made right again (the strongest kind);
5. *layout*: other dtypes and shapes declared, with and without bytes that fit them;
6. *parts*: at any depth of what was fitted, a part left out, or of another make;
7. *trees*: nodes split, cut off, moved and retested, and everything else made right again.

``python -m fuzz.model_files --mutants 20000 --seed 1``, from the folder ``tests``.
"""

import io
import random
from collections.abc import Sequence

import branchline
from branchline.errors import ModelFileError
from fuzz.harness import Campaign, main
from fuzz.model_use import saved_models, use, warm_up
from fuzz.mutate_arrays import mutate_arrays, mutate_layout
from fuzz.mutate_bytes import mutate_bytes, mutate_container
from fuzz.mutate_manifest import mutate_manifest
from fuzz.mutate_parts import mutate_parts
from fuzz.mutate_trees import mutate_trees

__all__ = ["CAMPAIGN", "attempt", "mutant"]

MAX_BYTES = 2**26
MUTATE = {
    "bytes": mutate_bytes,
    "container": mutate_container,
    "manifest": mutate_manifest,
    "arrays": mutate_arrays,
    "layout": mutate_layout,
    "parts": mutate_parts,
    "trees": mutate_trees,
}


_CORPUS: list[bytes] = []


def corpus() -> list[bytes]:
    """Return the saved models that mutants are made of."""
    return _CORPUS or take_corpus(saved_models())


def take_corpus(files: Sequence[bytes]) -> list[bytes]:
    """Let mutants be made of these files."""
    _CORPUS[:] = files
    return _CORPUS


def mutant(seed: int, number: int) -> bytes:
    """Return the mutant of that number; it differs from every sound file."""
    rng = random.Random(f"{seed}:{number}")
    mutate = MUTATE[CAMPAIGN.kind_of(number)]
    made = mutate(rng, corpus())
    while made in corpus():
        made = mutate(rng, corpus())
    return made


def attempt(seed: int, number: int) -> str:
    """Load a mutant and, if it loads, use it in every way."""
    content = mutant(seed, number)
    try:
        model = branchline.load(io.BytesIO(content), max_bytes=MAX_BYTES)
    except ModelFileError as error:
        str(error).encode()
        return "refused"
    use(model)
    return "usable"


CAMPAIGN = Campaign(
    "fuzz.model_files",
    ("fuzz.model_use",),
    tuple(MUTATE),
    attempt,
    warm_up,
    share=corpus,
    receive=take_corpus,
)

if __name__ == "__main__":
    main(CAMPAIGN)
