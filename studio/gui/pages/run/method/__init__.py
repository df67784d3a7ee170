"""Choice of a method: by name, composed of parts, or saved by the user."""
