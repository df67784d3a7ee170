"""What all plots are made of: frame and head, what is looked at, how the helper is asked."""
