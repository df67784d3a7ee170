"""Who first? The new rows by what is predicted of them, and the first of them together."""
