"""The guided first run and the recording."""
