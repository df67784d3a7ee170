"""What differs from system to system, a file each: nobody else asks which one it is."""
