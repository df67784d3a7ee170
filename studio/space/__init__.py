"""Search spaces: trees of hyperparameters, and the unit arrays of surrogates.

:mod:`studio.space.parameters` has the kinds of hyperparameter, :mod:`studio.space.space` the space
itself, :mod:`studio.space.encoding` the conversion to unit arrays and back. It only depends on
numpy, as the window imports it.
"""
