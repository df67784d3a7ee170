"""Parts of the view "One row"."""
