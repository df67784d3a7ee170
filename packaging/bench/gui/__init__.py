"""Measurements of the real window; each is a module that runs in a process of its own."""
