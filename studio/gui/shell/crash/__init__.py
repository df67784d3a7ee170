"""What happens when the window has a fault of its own: a calm word, a report, and on it goes."""
