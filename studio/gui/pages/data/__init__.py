"""The Data page: the table as it was read, and what to predict."""
