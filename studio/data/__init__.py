"""Data: from a file to the rows that trials are trained on.

The steps: :func:`studio.data.reading.read` → :class:`studio.data.table.Table` →
:class:`studio.data.problem.Problem` → :func:`studio.data.splits.make_split`; new tables for
prediction are encoded by :class:`studio.data.recipe.Recipe`.
"""
