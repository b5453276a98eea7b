"""What cameras see, as objects with a place: boxes on a table so far."""

from mecano.perception.boxes import FoundBox as FoundBox
from mecano.perception.boxes import find_boxes as find_boxes
