"""What people would use instead, as ordinary proposers: one file and one optional extra each."""
