"""Induction graphs: merging, the arrays of a graph, reading and drawing."""
