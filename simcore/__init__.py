"""simcore: a discrete-event network simulator scripted in Python with a performance-tuned core."""
