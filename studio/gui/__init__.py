"""The window: the only room that knows Qt. It imports neither pandas nor scikit-learn."""
