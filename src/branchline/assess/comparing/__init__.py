"""Comparing learners: the plan, its execution, and what follows from the results."""
