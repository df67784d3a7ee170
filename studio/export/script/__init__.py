"""A Python script that trains a run's ensemble again, written as a person would write it."""
