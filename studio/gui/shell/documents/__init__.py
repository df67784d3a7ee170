"""Opening, keeping, saving and leaving documents."""
