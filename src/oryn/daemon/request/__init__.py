"""Command requests: the JSON body, the line or command that it holds, and the record of its execution."""
