"""The Space page: an editable tree of hyperparameters, with details beside it.

``texts``, ``outline``, ``cells``, ``edits``, ``moves``, ``branches``, ``meaning`` need no widgets;
``editor`` joins them to the session; the rest are the tree's model and view, forms and page.
"""
