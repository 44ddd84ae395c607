import os

import numpy as np
import pytest

from octavo.errors import DeviceError
from octavo.runtime import device


def test_unknown_driver_lists_the_known_ones() -> None:
    with pytest.raises(
        DeviceError, match="no driver 'abacus': this Octavo knows local-task, cuda, vulkan"
    ):
        device.open_device("abacus")


@pytest.mark.parametrize("error", [RuntimeError, ValueError])
@pytest.mark.parametrize(
    ("driver", "advice"), [("cuda", "nvidia-smi"), ("vulkan", "mesa-vulkan-drivers")]
)
def test_a_missing_device_comes_with_advice(
    monkeypatch: pytest.MonkeyPatch, driver: str, advice: str, error: type[Exception]
) -> None:
    import iree.runtime

    def get_device(uri: str) -> None:
        raise error("libdevice.so not found; tried:\n  many places")

    monkeypatch.setattr(iree.runtime, "get_device", get_device)
    with pytest.raises(DeviceError) as caught:
        device.open_device(driver)
    message = str(caught.value)
    assert message.startswith(f"no '{driver}' device: libdevice.so not found; tried")
    assert advice in message
    assert "\n" not in message


@pytest.mark.parametrize("driver", ["local-task", "vulkan"])
def test_the_calling_thread_is_scheduled_as_batch(
    driver: str, request: pytest.FixtureRequest
) -> None:
    if driver == "vulkan":
        request.getfixturevalue("vulkan_device")
    before = os.sched_getscheduler(0)
    try:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
        device.open_device(driver)
        assert os.sched_getscheduler(0) == os.SCHED_BATCH
    finally:
        os.sched_setscheduler(0, before, os.sched_param(0))


def test_another_scheduling_policy_is_respected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getscheduler", lambda _: os.SCHED_IDLE)
    monkeypatch.setattr(os, "sched_setscheduler", lambda *_: pytest.fail("the policy was changed"))
    device.open_device("local-task")


def test_refused_scheduling_is_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "sched_getscheduler", lambda _: os.SCHED_OTHER)
    monkeypatch.setattr(os, "sched_setscheduler", refuse)
    device.open_device("local-task")


@pytest.mark.parametrize("driver", ["local-task", "vulkan"])
def test_arrays_come_back_as_they_went(
    driver: str, request: pytest.FixtureRequest, rng: np.random.Generator
) -> None:
    if driver == "vulkan":
        request.getfixturevalue("vulkan_device")
    opened = device.open_device(driver)
    # Odd sizes and a strided array: nothing is aligned to a page.
    array = rng.integers(-(2**31), 2**31, (7, 26), dtype=np.int32)[:, ::2]

    view = opened.upload(array)

    np.testing.assert_array_equal(opened.download(view), array)
    np.testing.assert_array_equal(_through_staging(opened, view), array)


def test_slots_do_not_share_memory(rng: np.random.Generator) -> None:
    opened = device.open_device("local-task")
    a, b = rng.integers(0, 99, (2, 5), dtype=np.int32), rng.integers(0, 99, (2, 5), dtype=np.int32)
    first, second = opened.upload(a, slot=0), opened.upload(b, slot=1)
    np.testing.assert_array_equal(opened.download(first), a)
    np.testing.assert_array_equal(opened.download(second), b)


def test_a_copy_outlives_the_next_one(rng: np.random.Generator) -> None:
    opened = device.open_device("local-task")
    a, b = rng.integers(0, 99, (2, 5), dtype=np.int32), rng.integers(0, 99, (2, 5), dtype=np.int32)
    first = _through_staging(opened, opened.upload(a))
    _through_staging(opened, opened.upload(b))
    np.testing.assert_array_equal(first, a)


def _through_staging(opened: device.Device, view: object) -> np.ndarray:
    """Read as from memory that the host cannot map, such as a GPU's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(opened, "_is_mappable", lambda _: False)
        return opened.download(view)


def test_devices_are_named_without_being_opened() -> None:
    assert device.device_names("local-task") == ["default"]
    with pytest.raises(DeviceError, match="no driver 'abacus': this Octavo knows local-task"):
        device.device_names("abacus")


def test_a_driver_without_a_library_comes_with_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    import iree.runtime

    def get_driver(_name: str) -> None:
        raise RuntimeError("libcuda.so is not there")

    monkeypatch.setattr(iree.runtime, "get_driver", get_driver)
    with pytest.raises(DeviceError, match=r"no 'cuda' device\. Install NVIDIA's driver"):
        device.device_names("cuda")
