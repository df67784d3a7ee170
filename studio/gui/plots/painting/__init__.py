"""Painting of figures (:mod:`studio.figures`) with pyqtgraph, in the current theme."""
