"""Would more rows help? An ensemble's members trained on growing shares of the rows."""
