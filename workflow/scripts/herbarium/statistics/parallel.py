"""Replicates computed in parallel."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from joblib import Parallel, delayed, parallel_config
from threadpoolctl import threadpool_limits

Item, Result = TypeVar("Item"), TypeVar("Result")


def one_thread(work: Callable[..., Result]) -> Callable[..., Result]:
    """A decorator: linear algebra in one thread. With more, the threads of small products wait for each other, and on a
    busy machine for other work."""
    return threadpool_limits.wrap(limits=1)(work)


def side_by_side(work: Callable[[Item], Result], items: Iterable[Item], threads: int) -> Iterator[Result]:
    """The results of `work` for all items, in order, computed in parallel.

    work: a function of a module, or a `functools.partial` of one. Each runs in a process of its own with one thread of
    linear algebra: a replicate of a small study is mostly Python, which threads would do one after the other, and
    products may be rounded differently with another number of threads.
    """
    with threadpool_limits(1), parallel_config("loky", n_jobs=threads, inner_max_num_threads=1):
        yield from Parallel(return_as="generator")(delayed(work)(item) for item in items)
