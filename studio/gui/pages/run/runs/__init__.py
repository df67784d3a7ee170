"""Runs of a document: their list, failed trials, and messages."""
