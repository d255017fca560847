"""The daemon seen from outside: metrics for Prometheus, traces for OpenTelemetry, and the fields of log messages."""
