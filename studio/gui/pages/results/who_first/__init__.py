"""Parts of the view "Who first?": new rows by their prediction, and the top rows together."""
