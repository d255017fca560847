"""The network of one session in Chromium: request log, interception, extra headers, network conditions."""
