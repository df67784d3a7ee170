"""The Data page: the imported table and the target."""
