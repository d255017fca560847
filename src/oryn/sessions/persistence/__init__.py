"""Sessions on disk: records, snapshots of tabs, cookies and storage, and when they are saved and restored."""
