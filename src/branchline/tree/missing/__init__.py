"""Missing values in trees: another policy at prediction, and surrogate tests."""
