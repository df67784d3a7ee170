"""The open document as the window sees it: what is read of it, shown, asked for, and edited."""
