"""What tree, forest and boosting share: trees as arrays, packed trees, draws, costs of errors."""
