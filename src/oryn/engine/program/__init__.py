"""What a program is made of: its functions, its values, its interpreter, and programs that have stopped."""
