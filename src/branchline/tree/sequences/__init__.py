"""Trees as sequences: growing node by node, pruning step by step, flip-flop round by round."""
