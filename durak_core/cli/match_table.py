"""A match's results as a table."""

from __future__ import annotations

from rich.table import Table

from durak_core.cli.tables import folded, result_cells, result_heads, shown_name, time_cells, time_heads
from durak_core.lab.stats.match_results import MatchTally
from durak_core.statistics import elo, elo_interval


def match_table(counted: MatchTally) -> Table:
    """Return the table: the score for two seats or teams, the fool's share for more."""
    table = Table()
    table.add_column("agent", overflow="fold")
    times = time_heads(counted.agents)
    for name in (*result_heads(counted.agents[0].measure), *times):
        table.add_column(name, justify="right", no_wrap=True)
    for agent in counted.agents:
        table.add_row(folded(shown_name(agent)), *result_cells(agent), *time_cells(agent, times))
    return table


def match_summary(counted: MatchTally, seconds: float) -> str:
    parts = [
        f"{counted.games} games",
        f"{counted.mean_bouts:.1f} bouts and {counted.mean_plies:.1f} plies a game",
        f"{_rate(counted.plies, seconds)} decisions and {_rate(counted.games, seconds)} games a second",
    ]
    if counted.deals:
        parts.append(f"intervals from {counted.deals} deals")
    parts += [f"{agent.forfeits} forfeited by {agent.text}" for agent in counted.agents if agent.forfeits]
    if counted.agents[0].teams > 2:
        parts.append(f"equal players would have {counted.agents[0].par:.1%} each")
    return ", ".join(parts)


def elo_line(counted: MatchTally) -> str:
    """Return the first agent's lead over the second in Elo points, or nothing unless two agents met."""
    first = counted.agents[0]
    if first.teams != 2 or len(counted.agents) != 2 or not counted.games:
        return ""
    low, high = elo_interval((first.share.low, first.share.high))
    lead = f"{elo(first.score):+.0f} Elo ({low:+.0f} to {high:+.0f})"
    return f"{first.text} against {counted.agents[1].text}: {lead}"


def _rate(count: int, seconds: float) -> str:
    return f"{count / seconds:,.0f}" if seconds > 0 else "0"
