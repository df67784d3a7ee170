"""What is computed of a run for people: pictures of the surrogate, of the ensemble, of errors."""
