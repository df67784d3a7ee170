"""The statistics of a comparison, one file each (METHODS 12): plain numbers in, plain numbers out.

Errors are matrices of shape (n_blocks, n_methods), lower is better; a block is what all methods
were tried on: a data set, or one repetition of it.
"""
