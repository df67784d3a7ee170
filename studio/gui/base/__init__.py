"""What everything in the window rests on: looks, language, preferences, processes of ours."""
