"""Fitted models as plain values, arrays and text, which execute no code when read."""
