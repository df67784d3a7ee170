"""What can be done, as one list: for menus, shortcuts, the palette and the list of keys."""
