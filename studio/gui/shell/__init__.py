"""The window around the pages: it ties pages, models and commands together."""
