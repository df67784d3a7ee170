"""Records of analyses: frozen dataclasses that need only numpy and the standard library.

The analysis returns them, the helper sends them (:mod:`studio.helper.answers`), the window draws
them. An answer with only a ``reason`` explains why there is nothing to show.
"""
