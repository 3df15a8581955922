"""Every test of the app has folders of its own, no engine, and no language, colours or signs from outside."""

import pytest
from textual._compositor import Compositor
from textual._context import visible_screen_stack
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet
from textual.geometry import Region

from durak_tui.text.i18n import set_language
from tui.settling import settled
from tui.watchdog import WATCHDOG


@pytest.fixture(scope="session", autouse=True)
def _style_sheets_parsed_once():
    """Parse each style sheet once for all apps: Textual keeps too few, and only for one app.

    It also asks for the hash of every rule for every widget, in Python.
    """
    parse, parse_all, parsed = Stylesheet._parse_rules, Stylesheet.parse, {}

    def parse_once(sheet, *source, **more):
        key = (frozenset(sheet._variables.items()), source, frozenset(more.items()))
        if key not in parsed:
            parsed[key] = parse(sheet, *source, **more)
        return parsed[key]

    def parse_all_once(sheet):
        key = (frozenset(sheet._variables.items()), tuple(sheet.source.items()))
        if sheet._invalid_css or key not in parsed:
            parse_all(sheet)
            parsed[key] = sheet._rules, sheet.rules_map
        sheet._rules, sheet._rules_map = parsed[key]
        sheet._require_parse = False

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Stylesheet, "_parse_rules", parse_once)
        patch.setattr(Stylesheet, "parse", parse_all_once)
        patch.setattr(RuleSet, "__hash__", object.__hash__)
        yield


@pytest.fixture(scope="session", autouse=True)
def _pictures_are_not_put_together():
    """Let widgets draw what has changed, and no more: no terminal shows it, and tests put theirs together."""
    put_together = Compositor.render_update

    def draw(compositor, full=False, screen_stack=None, simplify=False):
        if full:
            return put_together(compositor, full, screen_stack, simplify)
        visible_screen_stack.set(screen_stack or [])
        if changed := Region.from_union(compositor._dirty_regions) if compositor._dirty_regions else None:
            compositor._dirty_regions.clear()
            for _ in compositor._get_renders(changed.intersection(compositor.size.region)):
                pass
        return None

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Compositor, "render_update", draw)
        yield


@pytest.fixture(scope="session", autouse=True)
def _stalls_are_measured():
    with WATCHDOG.watching():
        yield


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call():
    """Fail a test of the app in which a callback holds the event loop for long."""
    WATCHDOG.begin()
    result = yield
    WATCHDOG.check()
    return result


@pytest.fixture(autouse=True)
def _own_folders(tmp_path, monkeypatch):
    monkeypatch.setenv("DURAK_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("DURAK_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("DURAK_ENGINE", "off")
    monkeypatch.setenv("LC_ALL", "C")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr("os.fsync", lambda _file: None)  # no power fails here, and disks are slow
    for module in ("app", "pilot"):
        monkeypatch.setattr(f"textual.{module}.wait_for_idle", settled)
    set_language("en")
    yield
    set_language("en")
