"""Evaluation of a trial: the rows it is trained and scored on."""
