"""Replicates worked out side by side."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from joblib import Parallel, delayed, parallel_config
from threadpoolctl import threadpool_limits

Item, Result = TypeVar("Item"), TypeVar("Result")


def one_thread(work: Callable[..., Result]) -> Callable[..., Result]:
    """A decorator: linear algebra in one thread. With more, small products wait for each other, and on a machine that
    has other work they wait for that."""
    return threadpool_limits.wrap(limits=1)(work)


def side_by_side(work: Callable[[Item], Result], items: Iterable[Item], threads: int) -> Iterator[Result]:
    """What `work` makes of each item, in their order, so many at a time.

    work: of a module, or a `functools.partial` of such. Each runs in a process of its own with one thread of linear
    algebra: a replicate of a small study is mostly Python, which threads would do one after the other, and products of
    another number of threads may round otherwise.
    """
    with threadpool_limits(1), parallel_config("loky", n_jobs=threads, inner_max_num_threads=1):
        yield from Parallel(return_as="generator")(delayed(work)(item) for item in items)
