"""Downloads for Linux: a folder, a Debian package and a single file, with their test."""
