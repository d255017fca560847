"""Interactive login: a person signs in in a window, and the session keeps the cookies."""
