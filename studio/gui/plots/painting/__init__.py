"""Draws figures (:mod:`studio.figures`) with pyqtgraph, in the colours of the theme in force."""
