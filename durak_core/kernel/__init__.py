"""The rules: functions over a mutable position of integers."""
