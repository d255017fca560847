"""Who may send a daemon requests, and what they may do: names of the daemon, proxies, tokens, scopes, audit."""
