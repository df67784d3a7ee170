"""The Run page: the next run, and the runs of the document."""
