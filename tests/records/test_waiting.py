from __future__ import annotations

from component import clock
from component.records.waiting import LONGEST_PAUSE, NO_PATIENCE, Patience, wait_for


class Time:
    def __init__(self, monkeypatch):
        self.now = 100.0
        self.pauses = []
        monkeypatch.setattr(clock, "monotonic", lambda: self.now)

    def sleep(self, seconds):
        self.pauses.append(seconds)
        self.now += seconds


def test_without_patience_there_is_one_look(monkeypatch):
    looks = []
    assert wait_for(lambda: looks.append(1), NO_PATIENCE) is None
    assert len(looks) == 1


def test_what_appears_in_time_is_found(monkeypatch):
    time = Time(monkeypatch)
    found = wait_for(lambda: "there" if time.now >= 101 else None, Patience(10, sleep=time.sleep))
    assert found == "there"
    assert time.now < 103


def test_the_wait_ends_and_pauses_grow_to_a_bound(monkeypatch):
    time = Time(monkeypatch)
    assert wait_for(lambda: None, Patience(60, sleep=time.sleep)) is None
    assert time.now == 160
    assert max(time.pauses) == LONGEST_PAUSE
    assert len(time.pauses) < 25
