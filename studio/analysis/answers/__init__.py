"""Records of analyses: frozen dataclasses that need only numpy and the standard library.

Analyses return them, the helper sends them (:mod:`studio.helper.answers`), and the window displays
them. A record with only a ``reason`` explains why there is nothing to show.
"""
