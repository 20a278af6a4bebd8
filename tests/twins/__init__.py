"""Few-line twins of the compiled kernels: slow, plain, and what the kernels are compared with."""
