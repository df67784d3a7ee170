"""Choosing a method by name, composing one from parts, and keeping one's own."""
