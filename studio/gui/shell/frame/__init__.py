"""Frame of the window: bars, banner, help, and the current page."""
