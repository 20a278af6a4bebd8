"""From a grown tree to the one that is kept: the pruning methods."""
