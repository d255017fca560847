"""The network of one session in Chromium: its log, its rules and headers, what it is like."""
