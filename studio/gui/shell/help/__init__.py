"""Help within the window: context help, guide, shortcuts. Works offline."""
