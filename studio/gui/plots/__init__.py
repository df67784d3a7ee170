"""Live plots: each follows one run at one iteration and says in a line what it shows.

A plot is one file (its view model beside it, plain Python and numpy) in the folder of the question
that it answers, and one line in :mod:`studio.gui.pages.live.registry`.
"""
