"""The space page: a tree of hyperparameters to edit, and what it means beside it.

``outline``, ``texts``, ``edits``, ``moves``, ``branches`` and ``meaning`` know no widgets; ``editor``
joins them to the session; the rest are the model of the tree, its view, the forms and the page.
"""
