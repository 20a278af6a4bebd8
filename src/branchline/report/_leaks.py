"""Columns that tell the target almost by themselves: found by the comparison."""

from branchline.assess.comparing import Suspicion, find_leaks, strength_alone

__all__ = ["Suspicion", "find_leaks", "strength_alone"]
