"""The window: the only package that imports Qt. It imports neither pandas nor scikit-learn."""
