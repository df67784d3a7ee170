"""All commands, for menus, shortcuts, the palette and the list of keys."""
