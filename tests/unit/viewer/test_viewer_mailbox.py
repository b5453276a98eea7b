"""The mailbox: the newest of each control wins, and nothing is lost on the way."""

import threading
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mecano.viewer.mailbox import Mailbox


@pytest.fixture
def mail() -> Mailbox:
    return Mailbox()


def do_all(mail: Mailbox) -> None:
    for action in mail.collect():
        action()


def test_an_empty_mailbox_has_nothing(mail):
    assert mail.collect() == []


def test_a_collected_mailbox_is_empty(mail):
    mail.post("slider", lambda: None)
    assert len(mail.collect()) == 1
    assert mail.collect() == []


@given(posts=st.lists(st.tuples(st.sampled_from("abc"), st.integers())))
def test_the_newest_of_each_control_comes_in_the_order_of_the_newest(posts):
    mail, done = Mailbox(), []
    for control, value in posts:
        mail.post(control, partial(done.append, (control, value)))
    newest: dict[str, tuple] = {}
    for control, value in posts:
        newest.pop(control, None)
        newest[control] = (control, value)
    do_all(mail)
    assert done == list(newest.values())


def test_a_flood_costs_one_action(mail):
    done = []
    for value in range(100_000):
        mail.post("slider", partial(done.append, value))
    do_all(mail)
    assert done == [99_999]


def test_posts_from_many_threads_all_arrive_once(mail):
    done: list[tuple[int, int]] = []
    over = threading.Event()

    def post(thread: int) -> None:
        for i in range(2000):
            mail.post((thread, i), partial(done.append, (thread, i)))

    def collect() -> None:
        while not over.is_set():
            do_all(mail)

    collector = threading.Thread(target=collect)
    posters = [threading.Thread(target=post, args=(thread,)) for thread in range(4)]
    for thread in (collector, *posters):
        thread.start()
    for thread in posters:
        thread.join()
    over.set()
    collector.join()
    do_all(mail)
    for number in range(4):
        assert [i for thread, i in done if thread == number] == list(range(2000))


def test_an_action_may_post_again_for_the_next_time(mail):
    done = []
    mail.post("a", lambda: mail.post("a", partial(done.append, "again")))
    do_all(mail)
    assert done == []
    do_all(mail)
    assert done == ["again"]
