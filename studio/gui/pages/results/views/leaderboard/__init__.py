"""Every trial of a run, ranked: to sort, filter, compare, open and take alone."""
