"""The statistics of a comparison (docs/methods/statistics.md).

Functions take and return plain numbers. Errors are matrices of shape (n_blocks, n_methods), lower
is better; a block is a data set, or one repetition of it, evaluated for all methods.
"""
