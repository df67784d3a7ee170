"""What the view "One row" is made of."""
