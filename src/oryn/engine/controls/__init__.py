"""Controls that take a value in their own way: sliders, date pickers, lists that a page builds itself."""
