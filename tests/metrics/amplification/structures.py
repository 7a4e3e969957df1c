"""Small corpora of structured outputs, and all outputs of an instance one by one."""

import itertools

import numpy as np

from herbarium.metrics.amplification.structured import ManyObjects, OneActivity, Scenes, Situations


def one_activity(seed, n=12, v=3, m=2):
    """The last output of the first instance does not exist."""
    random = np.random.default_rng(seed)
    agent = 1.5 * random.normal(size=(n, v, 3)) + random.normal(size=(v, 1)) * np.array([1, -1, 0])
    agent[0, -1] = [-np.inf, -np.inf, 0.5]
    return OneActivity(1.5 * random.normal(size=(n, v)), agent, np.arange(m))


def many_objects(seed, n=12, v=3, m=2):
    random = np.random.default_rng(seed)
    lean = random.normal(size=(v, 1)) * np.array([1, 0])
    objects = random.normal(size=(n, 2, v, 2)) + np.stack([lean, -lean])
    return ManyObjects(random.normal(size=(n, 2)), objects, np.arange(v)[-m:])


SHAPES = (one_activity, many_objects)


def outputs(field, i):
    """(score, {what counts as a man: numbers of constraints}, output) of every output of instance i, one by one."""
    numbers = field.constrained.tolist()
    if isinstance(field, OneActivity):
        for v, a in itertools.product(range(field.activity.shape[1]), range(3)):
            kinds = ([numbers.index(v)] if v in numbers and a == kind else [] for kind in (0, 1))
            yield float(field.activity[i, v] + field.agent[i, v, a]), tuple(kinds), (v, a)
        return
    for g, there in itertools.product((0, 1), itertools.product((True, False), repeat=field.objects.shape[2])):
        score = field.gender[i, g] + sum(field.objects[i, g, j, 0 if y else 1] for j, y in enumerate(there))
        kinds = ([k for k, j in enumerate(numbers) if there[j] and g == kind] for kind in (0, 1))
        yield float(score), tuple(kinds), (g == 0, there)


def as_output(field, result):
    """Of the third of `outputs`, an instance each, what `of.best()` gives."""
    kind = Situations if isinstance(field, OneActivity) else Scenes
    return kind(*map(np.array, zip(*result, strict=True)))
