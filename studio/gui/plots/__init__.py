"""Live plots, each of one run at one iteration, with a one-line summary.

A plot is one file (its view model beside it, plain Python and numpy) in the folder of the question
that it answers, and one line in :mod:`studio.gui.pages.live.registry`.
"""
