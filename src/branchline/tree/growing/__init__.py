"""From a table to a tree: codes, options, folds, stopping early."""
