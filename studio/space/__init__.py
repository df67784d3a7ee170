"""Search spaces: trees of hyperparameters, and the unit arrays of surrogates.

:mod:`studio.space.parameters` has the kinds of hyperparameter, :mod:`studio.space.space` the space
itself, :mod:`studio.space.encoding` the way to unit arrays and back. numpy only: the
window imports this room.
"""
