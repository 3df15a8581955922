"""PyTorch and its TensorBoard writer, or an error that names the extra to install."""

from durak_core.installation import require

require("Training", "learn", "torch", "tensorboard")

import torch  # noqa: E402 - after the check
from torch.utils.tensorboard import SummaryWriter  # noqa: E402 - as above

__all__ = ["SummaryWriter", "torch"]
