"""Tests of the app; a package, so that they share `tui.helpers`."""
