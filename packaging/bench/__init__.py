"""Measurements of the parts that must be fast (tests never measure time), and simulations."""
