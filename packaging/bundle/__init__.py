"""What people on Linux download: a folder, a Debian package, one file; and the proof of them."""
