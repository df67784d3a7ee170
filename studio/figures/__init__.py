"""What a picture is made of, said without drawing it: marks on panels, for any painter."""
