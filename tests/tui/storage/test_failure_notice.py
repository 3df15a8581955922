"""What fails for a while is said once, and once more when it works again, whatever it is."""

import errno

from durak_core.files import REASONS
from durak_tui.storage.paths import FailureNotice
from durak_tui.text.i18n import mark, set_language

AGAIN = mark("The settings are saved again.")
FULL = REASONS[errno.ENOSPC]


def test_each_time_of_failure_is_said_once_at_its_beginning_and_once_at_its_end():
    told = []
    notice = FailureNotice(told.append, AGAIN)
    for problem in (None, None, FULL, FULL, REASONS[errno.EROFS], None, None, FULL):
        notice.report(problem)
        assert notice.problem is problem
    assert told == ["the disk is full; make room on it", AGAIN, "the disk is full; make room on it"]


def test_both_sentences_are_in_the_language_in_force_when_they_are_said():
    told = []
    notice = FailureNotice(told.append, AGAIN)
    set_language("ru")
    notice.report(FULL)
    notice.report(None)
    assert told == ["диск заполнен: освободите на нём место", "Настройки снова сохраняются."]
