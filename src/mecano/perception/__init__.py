"""What cameras see: boxes on a table with their places, and scans cut out of depth pictures."""

from mecano.perception.boxes import FoundBox as FoundBox
from mecano.perception.boxes import find_boxes as find_boxes
from mecano.perception.depth_scan import depth_scan as depth_scan
from mecano.perception.depth_scan import scan_mount as scan_mount
