"""Parts of the Live page: docks, bar, selection of plots, refresh."""
