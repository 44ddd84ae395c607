"""What any test may ask for: random numbers whose seed a failure shows, and a Vulkan device."""

import os
import secrets

import numpy as np
import pytest

# Each process of pytest-xdist has a core to itself: torch's threads spin while they wait for one another.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("OMP_NUM_THREADS", "1")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--seed", type=int, help="seed of the 'rng' fixture; a new one each run unless given"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Choose the run's seed here: the processes that pytest-xdist starts get it as an option."""
    if config.option.seed is None:
        config.option.seed = secrets.randbits(32)


@pytest.fixture(scope="session")
def seed(request: pytest.FixtureRequest) -> int:
    """The run's seed."""
    given: int = request.config.getoption("--seed")
    return given


@pytest.fixture
def rng(seed: int, request: pytest.FixtureRequest) -> np.random.Generator:
    """Random numbers that differ from run to run; a failing test shows the line that repeats them."""
    print(f"to repeat: pytest --seed {seed} '{request.node.nodeid}'")
    return np.random.default_rng(seed)


@pytest.fixture(scope="session")
def vulkan_device() -> str:
    """URI of a Vulkan device, such as Mesa's lavapipe on the CPU. Without one the test is skipped."""
    import iree.runtime

    try:
        devices = iree.runtime.get_driver("vulkan").query_available_devices()
    except (ValueError, RuntimeError) as error:  # no loader, no driver
        reason = str(error).partition("\n")[0]
        pytest.skip(
            f"no Vulkan: {reason} On Debian: apt-get install mesa-vulkan-drivers libvulkan1"
        )
    return f"vulkan://{devices[0]['path']}"
