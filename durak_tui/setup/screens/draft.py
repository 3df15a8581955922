"""Base screen for editing a draft."""

from __future__ import annotations

from durak_core.errors import DurakError
from durak_tui.setup.model import Draft
from durak_tui.text.core_messages import core_words
from durak_tui.text.phrases import capital
from durak_tui.ui.screens.form import FormScreen


class DraftScreen(FormScreen):
    """Edits a draft and shows its errors."""

    def __init__(self, draft: Draft) -> None:
        super().__init__()
        self.draft = draft

    def problem(self) -> str:
        try:
            self.draft.setup(self.host.settings)
        except DurakError as error:
            return capital(f"{core_words(error)}.")
        return ""
