"""Questions about a run, a folder each: its record, computation, figure and view.

In a folder ``answer`` is light: the records, the tasks of the helper, and words. ``compute`` is
heavy, and imported when it is called. ``figure`` says what is drawn, in the window and in reports.
``view`` alone imports Qt; it rests on the floors of :mod:`studio.gui` below its pages.
"""
