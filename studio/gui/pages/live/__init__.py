"""The Live page's parts: its docks, its bar, what it follows and when it draws."""
