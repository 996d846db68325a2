import signal
import threading
import time

import pytest

from component.runner.interrupts import DEADLINE, Interrupted, deadline, ignore_interrupts, interruptible


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_ends_the_block_by_an_exception(number, code):
    before = signal.getsignal(number)
    with pytest.raises(Interrupted) as caught, interruptible():
        signal.raise_signal(number)
    assert caught.value.exit_code == code
    assert str(caught.value) == f"Stopped by {signal.Signals(number).name}; nothing was changed."
    assert signal.getsignal(number) is before


def test_while_the_block_ends_further_signals_do_nothing():
    tidied = []

    def work():
        try:
            signal.raise_signal(signal.SIGTERM)
        finally:
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGTERM)
            tidied.append(True)

    with pytest.raises(Interrupted), interruptible():
        work()
    assert tidied == [True]


def test_when_it_is_too_late_the_block_goes_on():
    done = []
    before = signal.getsignal(signal.SIGTERM)
    with interruptible():
        ignore_interrupts()
        signal.raise_signal(signal.SIGTERM)
        done.append(True)
    assert done == [True]
    assert signal.getsignal(signal.SIGTERM) is before


def test_other_threads_leave_signals_alone():
    before = signal.getsignal(signal.SIGTERM)
    seen = []

    def elsewhere():
        with interruptible():
            ignore_interrupts()
            seen.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert seen == [before]


def test_a_signal_that_was_ignored_before_stays_ignored():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with interruptible():
            signal.raise_signal(signal.SIGHUP)
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_deadline_ends_the_block_by_an_error_of_the_user_s():
    with pytest.raises(Interrupted) as caught, interruptible(), deadline(1):
        time.sleep(10)
    assert caught.value.exit_code == 1
    assert "parameters.limits.deadline_seconds" in str(caught.value)


def test_a_deadline_is_heard_where_its_signal_was_ignored():
    before = signal.signal(DEADLINE, signal.SIG_IGN)
    try:
        with pytest.raises(Interrupted), interruptible(), deadline(1):
            time.sleep(10)
        assert signal.getsignal(DEADLINE) is signal.SIG_IGN
    finally:
        signal.signal(DEADLINE, before)


@pytest.mark.parametrize("seconds", [None, 1])
def test_a_block_that_is_done_in_time_is_not_ended_later(seconds):
    with interruptible(), deadline(seconds):
        pass
    with interruptible():
        time.sleep(1.1 if seconds else 0)


def test_when_it_is_too_late_a_deadline_ends_nothing():
    with interruptible(), deadline(1):
        ignore_interrupts()
        time.sleep(1.1)


def test_a_deadline_beyond_what_a_thread_can_wait_for_disturbs_nobody():
    with interruptible(), deadline(10**30):
        time.sleep(0.1)  # what a thread raises would be a warning of this test
