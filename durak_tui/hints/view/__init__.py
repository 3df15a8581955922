"""View data of the advice and knowledge panels."""
