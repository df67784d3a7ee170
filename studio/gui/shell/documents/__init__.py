"""Documents in the window: open, save, close."""
