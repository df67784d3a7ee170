"""The Data page: the table as read, and the target."""
