"""A tree that asks: the next question given the answers so far."""
