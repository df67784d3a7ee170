"""Operators: optional steps between the preparation and the learner (DivBO A.3)."""
