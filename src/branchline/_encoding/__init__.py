"""How a mixed table becomes numbers: blocks of columns, scales, terms; below all learners."""
