"""Evaluation of a trial: its training and scoring rows."""
