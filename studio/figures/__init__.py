"""Declarative figures: marks on panels, independent of the renderer."""
