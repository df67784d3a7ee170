"""The open document in the window: its content, selections, requests, and edits."""
