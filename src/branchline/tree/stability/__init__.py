"""How stable a tree is: which of its questions trees of resampled rows ask, too."""
