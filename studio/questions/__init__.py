"""Questions about a run, a folder each: its record, computation, figure and view.

In each folder, ``answer`` is light: records, helper tasks and texts. ``compute`` is heavy and
imported on demand. ``figure`` defines the figures of the window and of reports. Only ``view``
imports Qt; it uses the layers of :mod:`studio.gui` below the pages.
"""
