"""Ensemble Studio: automatic machine learning that ends in an ensemble.

The core never imports Qt; only :mod:`studio.gui` does. ``docs/architecture.md`` has the map.
"""

from studio import version

__version__ = version.VERSION
