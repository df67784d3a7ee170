"""How far a loss of some rows may lie from that of all such rows: intervals of losses."""
