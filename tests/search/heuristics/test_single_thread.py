"""Linear algebra on one thread: whoever asks for it last gives the threads back."""

from threadpoolctl import threadpool_info

from frugalsvm.runtime.single_thread import single_threaded_algebra


def threads():
    return [i["num_threads"] for i in threadpool_info() if i["user_api"] == "blas"]


def test_linear_algebra_has_its_threads_back() -> None:
    before = threads()
    with single_threaded_algebra():
        with single_threaded_algebra():
            assert set(threads()) == {1}
        assert set(threads()) == {1}
    assert threads() == before
