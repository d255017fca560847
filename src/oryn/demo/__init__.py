"""A small shop that ships with Oryn: something real to drive, without the network. `oryn demo` serves and drives it."""
