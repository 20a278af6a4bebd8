"""A campaign whose mutants end in every way there is, to see that the harness notices."""

import ctypes
import os
import time

from fuzz.harness import Campaign

__all__ = ["CAMPAIGN"]


def attempt(seed: int, number: int) -> str:
    """End as the mutant's kind says."""
    kind = CAMPAIGN.kind_of(number)
    if kind == "abort":
        os.abort()
    elif kind == "segfault":
        ctypes.string_at(0)
    elif kind == "leave":
        os._exit(0)
    elif kind == "sleep":
        time.sleep(1000)
    elif kind == "raise":
        raise KeyError(f"{seed}:{number}")
    elif kind == "allocate":
        return str(len(bytearray(2**31)))
    return kind


CAMPAIGN = Campaign(
    "fuzz.self_check",
    (),
    ("usable", "abort", "segfault", "leave", "sleep", "raise", "allocate", "refused"),
    attempt,
    os.getpid,
)
