"""The Welcome page."""
