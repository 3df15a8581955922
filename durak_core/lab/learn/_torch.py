"""PyTorch and TensorBoard's file format, or an error that names the extra to install."""

from durak_core.installation import require

require("Training", "learn", "torch", "tensorboard")

import torch  # noqa: E402 - after the check
from tensorboard.compat.proto.event_pb2 import Event, SessionLog  # noqa: E402 - as above
from tensorboard.compat.proto.summary_pb2 import Summary  # noqa: E402 - as above
from tensorboard.summary.writer.record_writer import RecordWriter  # noqa: E402 - as above

__all__ = ["Event", "RecordWriter", "SessionLog", "Summary", "torch"]
