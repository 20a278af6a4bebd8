"""Leaves that are models: linear sums, or any learner of the catalog."""
