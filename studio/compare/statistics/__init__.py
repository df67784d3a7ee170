"""The statistics of a comparison (docs/methods/statistics.md).

Plain numbers in, plain numbers out. Errors are matrices of shape (n_blocks, n_methods), lower is
better; a block is what all methods were tried on: a data set, or one repetition of it.
"""
