"""One file per room: each builds its room's part from the settings and hands out a port."""
