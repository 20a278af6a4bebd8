"""Yes and no in several languages and spellings, as booleans.

A column of two texts is a category as it stands and stays one. Where yes and no are written in
several ways (Yes, yes, Y, no), all of them become two.
"""

from typing import TYPE_CHECKING

from branchline.table.converting._written import Written

if TYPE_CHECKING:
    import polars as pl

__all__ = ["detect_yes_no", "read_yes_no", "truth_of"]

_YES = (
    "yes y true t 1 oui vrai ja j wahr sí si sì sim s verdadero vero tak prawda kyllä k ano da "
    "evet igen да д ναι 是 はい 예 نعم jah taip jā on x ok"
)
_NO = (
    "no n false f 0 non faux nein falsch não nao falso nee nej nei nie ei ne hayır hayir nem нет "
    "όχι 否 いいえ 아니요 لا ikke off nu"
)
_NOT_SURE = {"x", "on", "off", "ok", "s", "k", "d", "nu", "si", "f", "t"}
_TRUTH = {**dict.fromkeys(_YES.split(" "), True), **dict.fromkeys(_NO.split(" "), False)}


def truth_of(text: str) -> bool | None:
    """Return what a word says; None when it is neither yes nor no."""
    return _TRUTH.get(text.strip().casefold())


def detect_yes_no(texts: "pl.Series") -> Written | None:
    """Return that texts are yes and no in more than one way each; None for anything else."""
    if not 2 < len(texts) <= len(_TRUTH):
        return None
    words = {text.strip().casefold() for text in texts}
    truths = {_TRUTH.get(word) for word in words}
    if truths != {True, False} or words <= {"0", "1", *_NOT_SURE}:
        return None
    return Written("boolean")


def read_yes_no(texts: "pl.Series") -> "pl.Series":
    """Return booleans, null for texts that are neither yes nor no."""
    import polars as pl

    truths = [None if text is None else truth_of(text) for text in texts]
    return pl.Series(texts.name, truths, pl.Boolean)
