"""Trees edited by a person, each edit with its price on rows that the tree has not seen."""
