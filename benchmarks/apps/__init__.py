"""Tasks in real web applications, done by plain commands and checked by the applications themselves."""
