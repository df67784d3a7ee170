"""Speed of the parts that must be fast, printed by ``studio bench``; tests never measure time."""
