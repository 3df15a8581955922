"""Work is given away with moderation, and its results come in order, whoever works."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from concurrent.futures import Future

import pytest

from durak_core import AgentError
from durak_core.interrupts import uninterrupted
from durak_core.lab.workers import check_jobs, cores, run_in_order


class Mute(Future):
    """A call whose news never arrive."""

    def add_done_callback(self, fn: Callable) -> None:
        del fn


class Lazy:
    """Workers of which the test decides what is finished, and how calls answer."""

    width = 2

    def __init__(self, kind: type[Future] = Future) -> None:
        self.kind = kind
        self.futures: list[Future] = []
        self.tasks: list[tuple] = []
        self.looks = 0
        self.abandoned = False
        self.answer: Callable[[Future, tuple], None] = lambda _future, _task: None

    def submit(self, function: Callable, task: tuple) -> Future:
        del function
        self.futures.append(self.kind())
        self.tasks.append(task)
        self.answer(self.futures[-1], task)
        return self.futures[-1]

    def result(self, call: Future) -> object:
        return call.result()

    def look(self) -> None:
        self.looks += 1
        if self.looks > 2:
            raise TimeoutError("nobody is left")

    def abandon(self, calls: object) -> None:
        del calls
        self.abandoned = True


def first_only(future: Future, task: tuple) -> None:
    if task == (0,):
        future.set_result("first")


def test_workers_stay_when_all_results_were_taken() -> None:
    """A match that goes on from a file takes as many games as are missing, and asks for no more."""
    workers = Lazy()
    results = run_in_order(abs, ((number,) for number in range(2)), workers)
    finisher = threading.Thread(target=_finish, args=(workers, 2))
    finisher.start()
    assert [next(results), next(results)] == [100, 101]
    finisher.join()
    results.close()
    assert not workers.abandoned


def test_results_come_in_the_order_of_the_tasks() -> None:
    """The second is finished first, and waits; what is finished makes room for others."""
    workers = Lazy()
    results = run_in_order(abs, ((number,) for number in range(8)), workers)
    finisher = threading.Thread(target=_finish, args=(workers, 8))
    finisher.start()
    assert list(results) == [100 + number for number in range(8)]
    finisher.join()
    assert not workers.abandoned


def _finish(workers: Lazy, total: int) -> None:
    """Finish all tasks, of each two the later one first."""
    finished: set[int] = set()
    while len(finished) < total:
        for number in range(len(workers.futures) - 1, -1, -1):
            if number not in finished:
                finished.add(number)
                workers.futures[number].set_result(100 + number)
                break


def test_no_task_is_forgotten_where_news_come_late() -> None:
    """A call may be done before its news arrive; what counts is the call."""
    workers = Lazy(Mute)
    workers.answer = lambda future, task: future.set_result(task[0])
    assert list(run_in_order(abs, ((number,) for number in range(300)), workers)) == list(range(300))


def test_only_a_few_tasks_are_in_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two a worker that are not finished; who says nothing is looked after."""
    monkeypatch.setattr("durak_core.lab.workers._LOOK_SECONDS", 0.01)
    workers = Lazy()
    results = run_in_order(abs, ((number,) for number in range(1000)), workers)
    with pytest.raises(TimeoutError, match="nobody is left"):
        next(results)
    assert len(workers.tasks) == 4
    assert workers.abandoned


def test_results_behind_a_slow_task_do_not_pile_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thirty-two a worker are in hand at most, finished or not."""
    monkeypatch.setattr("durak_core.lab.workers._LOOK_SECONDS", 0.01)
    workers = Lazy()
    workers.answer = lambda future, task: None if task == (0,) else future.set_result(task[0])
    results = run_in_order(abs, ((number,) for number in range(1000)), workers)
    with pytest.raises(TimeoutError, match="nobody is left"):
        next(results)
    assert len(workers.tasks) == 64


def test_work_is_ended_with_the_iterator() -> None:
    """Whoever has seen enough closes it."""
    workers = Lazy()
    results = run_in_order(abs, ((number,) for number in range(1000)), workers)
    workers.answer = first_only
    assert next(results) == "first"
    assert not workers.abandoned
    results.close()
    assert workers.abandoned


@pytest.mark.parametrize("where", ["submit", "done", "result"])
def test_an_interruption_waits_until_the_workers_are_left_alone(where: str) -> None:
    """Whoever breaks into an executor may leave a lock taken, for which its end waits for ever."""
    workers = Lazy()
    passed: list[str] = []

    def interrupted(method: Callable) -> Callable:
        def whole(*arguments: object) -> object:
            signal.raise_signal(signal.SIGINT)
            passed.append(where)
            return method(*arguments)

        return whole

    with pytest.MonkeyPatch.context() as patch:
        patched = Future if where == "done" else Lazy
        patch.setattr(patched, where, interrupted(getattr(patched, where)))
        workers.answer = first_only
        with pytest.raises(KeyboardInterrupt):
            next(run_in_order(abs, ((number,) for number in range(1000)), workers))
    assert passed
    assert workers.abandoned


def test_an_error_of_a_task_ends_the_work() -> None:
    """It arrives as it is."""
    workers = Lazy()
    results = run_in_order(abs, ((number,) for number in range(1000)), workers)
    workers.answer = lambda future, _task: future.set_exception(AgentError("no"))
    with pytest.raises(AgentError, match="no"):
        next(results)
    assert workers.abandoned


def test_one_job_runs_here() -> None:
    """And a negative number is refused at once."""
    assert list(run_in_order(threading.get_ident, [(), ()], 1)) == [threading.get_ident()] * 2
    with pytest.raises(AgentError, match="-1 jobs"):
        run_in_order(abs, [(1,)], -1)


def test_ctrl_c_waits_for_the_end_of_a_block() -> None:
    """What belongs together is done together; then it is heard."""
    done = []

    def together() -> None:
        with uninterrupted():
            signal.raise_signal(signal.SIGINT)
            done.append("all of it")

    with pytest.raises(KeyboardInterrupt):
        together()
    assert done
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_no_more_processes_are_started_than_four_for_each_core() -> None:
    """What is too much is refused before the work, with the number."""
    most = 4 * cores()
    check_jobs(most)
    for jobs in (most + 1, 100_000):
        with pytest.raises(AgentError, match=f"{jobs} jobs: expected at most {most}, 4 for each core"):
            run_in_order(str, [(1,)], jobs)
