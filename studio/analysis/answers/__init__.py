"""Answers about a run: one frozen dataclass each, of numpy and the standard library only.

The analysis gives them, the helper sends them (:mod:`studio.helper.answers`), the window draws
them. With nothing but its ``reason`` an answer says why there is nothing to show.
"""
