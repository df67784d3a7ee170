"""Fitted models in a form that runs nothing when it is read: plain values, arrays, text."""
