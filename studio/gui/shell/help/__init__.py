"""Built-in help: context help, guide, shortcuts. Works offline."""
