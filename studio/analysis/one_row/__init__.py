"""One row: what the ensemble says of it, how sure that is, why, and what would change it."""
