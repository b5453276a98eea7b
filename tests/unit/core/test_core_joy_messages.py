"""Messages of a gamepad."""

import numpy as np
import pytest

from mecano.core.errors import InvalidInput
from mecano.core.messages import Joy
from mecano.topics.codec import decode, encode


def test_a_message_comes_back_the_same():
    joy = Joy(stamp=1.5, frame="pad", axes=np.array([0.5, -1.0, 0.0]), buttons=(0, 1, 0))
    type_name, data = encode(joy)
    back = decode(type_name, data)
    assert type_name == "sensor_msgs/msg/Joy" and back.buttons == joy.buttons
    assert (back.stamp, back.frame) == (joy.stamp, joy.frame)
    np.testing.assert_array_equal(back.axes, joy.axes)


def test_a_text_comes_back_the_same():
    assert decode(*encode("grasp_4")) == "grasp_4"


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"axes": np.array([1.5])}, "from -1 to 1"),
        ({"axes": np.array([np.nan])}, "axes"),
        ({"axes": np.zeros((2, 2))}, "axes"),
        ({"buttons": (0, 2)}, "allowed: 0, 1"),
    ],
)
def test_numbers_that_no_pad_gives_are_refused(fields, says):
    with pytest.raises(InvalidInput, match=says):
        Joy(**fields)
