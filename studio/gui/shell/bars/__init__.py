"""Navigation rail, top bar, strip of runs and time slider."""
