"""Questions about a run, a folder each: its record, computation, figure and view.

In each folder ``answer`` is light: records, helper tasks and texts. ``compute`` is heavy, and
imported on use. ``figure`` defines the figures of window and reports. Only ``view`` imports Qt; it
uses the layers of :mod:`studio.gui` below the pages.
"""
