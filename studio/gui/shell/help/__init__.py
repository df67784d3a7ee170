"""Help within the window: what is here, the guide, the keys. All of it works without a network."""
