"""The Results page: questions about a finished run, and cards of actions."""
