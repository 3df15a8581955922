"""Agents: the protocol, all agents and the registry."""
