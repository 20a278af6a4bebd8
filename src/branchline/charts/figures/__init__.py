"""The figures: each a function from numbers, or from a fitted model and rows, to a chart."""
