"""The only truth about the rules: functions over a mutable position of integers."""
