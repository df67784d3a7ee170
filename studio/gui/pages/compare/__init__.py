"""The Compare page: set-up, progress and results of a study."""
