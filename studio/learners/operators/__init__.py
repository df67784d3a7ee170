"""Operators: what a space may put between the preparation and the learner (DivBO A.3)."""
