"""The Compare page: set a study up, follow it, and look at what it found."""
