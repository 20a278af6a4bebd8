"""How predictions change with a column: partial dependence and accumulated local effects."""

from branchline.assess.effects._effect_curve import EffectCurve, EffectCurves
from branchline.assess.effects._effect_curves import effect_curves

__all__ = ["EffectCurve", "EffectCurves", "effect_curves"]
