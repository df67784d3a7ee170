"""What the next run will be, as it is being put together: table, method, settings."""
