"""The handlers of commands, one module for each family. `dispatch` imports them when they are needed."""
