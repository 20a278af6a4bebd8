"""Memory and sizes of files in words."""

from branchline._plain_numbers import data_size

__all__ = ["file_words", "memory_words"]

_LEAST = 1_000_000  # the system counts pages in batches: less is not known well


def memory_words(n_bytes: int | None) -> str:
    """Return the peak of memory of a fit; less than 1 MB cannot be measured well."""
    if n_bytes is None:
        return "–"
    return "< 1 MB" if n_bytes < _LEAST else data_size(n_bytes)


def file_words(n_bytes: int | None) -> str:
    """Return the size of a saved model."""
    return "–" if n_bytes is None else data_size(n_bytes)
