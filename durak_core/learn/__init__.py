"""Environments and learning; needs the extra ``learn``, and is imported by nothing that plays."""
