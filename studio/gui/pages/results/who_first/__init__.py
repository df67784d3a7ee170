"""Parts of the view "Who first?": new rows by prediction, and expectations for the top rows."""
