"""The papers' methods, one file a family."""
