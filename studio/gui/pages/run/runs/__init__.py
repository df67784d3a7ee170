"""The runs of a document: their list, what failed in them, and what they said."""
