"""What a result is asked: one file a question, listed in its registry."""
