"""What fails for a while is said once, and once more when it works again, whatever it is."""

from durak_core.messages import Message
from durak_tui.storage.paths import FailureNotice
from durak_tui.text.i18n import mark, set_language

AGAIN = mark("The settings are saved again.")
FULL = Message("the disk is full")


def test_each_time_of_failure_is_said_once_at_its_beginning_and_once_at_its_end():
    told = []
    notice = FailureNotice(told.append, AGAIN)
    for problem in (None, None, FULL, FULL, Message("the disk can only be read"), None, None, FULL):
        notice.report(problem)
        assert notice.problem is problem
    assert told == ["the disk is full", AGAIN, "the disk is full"]


def test_both_sentences_are_in_the_language_in_force_when_they_are_said():
    told = []
    notice = FailureNotice(told.append, AGAIN)
    set_language("ru")
    notice.report(FULL)
    notice.report(None)
    assert told == ["диск заполнен", "Настройки снова сохраняются."]
