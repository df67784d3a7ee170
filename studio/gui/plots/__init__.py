"""Live plots, each of one run at one iteration, with a one-line summary.

A plot consists of one file in the folder of the question that it answers (with a view model in
plain Python and numpy next to it), and one line in :mod:`studio.gui.pages.live.registry`.
"""
