"""The Space page: an editable tree of hyperparameters, with details beside it.

``formatting``, ``outline``, ``cells``, ``edits``, ``moves``, ``branches`` and ``space_summary``
need no widgets; ``editor`` connects them to the session; the other modules are the tree's model and
view, and forms.
"""
