"""One folder a page; none knows another, nor the window around them."""
