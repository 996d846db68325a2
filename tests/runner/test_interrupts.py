import signal
import threading

import pytest

from component.runner.interrupts import Interrupted, ignore_interrupts, interruptible


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
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
    with interruptible():
        ignore_interrupts()
        signal.raise_signal(signal.SIGTERM)
        done.append(True)
    assert done == [True]
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


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
