"""Every test of the app has folders of its own, no engine, and no language, colours or signs from outside."""

import pytest

from durak_tui.text.i18n import set_language
from tui.settling import settled


@pytest.fixture(autouse=True)
def _own_folders(tmp_path, monkeypatch):
    monkeypatch.setenv("DURAK_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("DURAK_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("DURAK_ENGINE", "off")
    monkeypatch.setenv("LC_ALL", "C")
    monkeypatch.delenv("NO_COLOR", raising=False)
    for module in ("app", "pilot"):
        monkeypatch.setattr(f"textual.{module}.wait_for_idle", settled)
    set_language("en")
    yield
    set_language("en")
