"""Tables become numbers: the one encoder that every learner on numbers uses."""

from branchline._encoding._table_encoder import TableEncoder

__all__ = ["TableEncoder"]
