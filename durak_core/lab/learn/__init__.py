"""Environments and training. Importing this package registers ``Durak-v0`` with Gymnasium."""

from importlib.util import find_spec

if find_spec("gymnasium"):
    import gymnasium

    gymnasium.register(
        "Durak-v0",
        entry_point="durak_core.lab.learn.single_agent:DurakEnv",
        vector_entry_point="durak_core.lab.learn.vector_env:durak_vector",
    )
