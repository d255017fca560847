"""Tasks with loops and conditions, done as lines and as one program."""
