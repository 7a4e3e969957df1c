"""How much is trained on biographies, by hand."""

import itertools

import pandas as pd

from herbarium.metrics.biographies import costs
from herbarium.metrics.biographies.stimuli import FEMALE, FORMS, MALE, TEST, TRAIN

TRAINING = {"epochs": 3, "batch_size": 4, "evaluations": 2, "validation_share": 0.2}
# Of each occupation and gender 6 biographies to train on and 2 to test on; another occupation has too few of men.
PEOPLE = [
    *itertools.product(("nurse", "poet"), (FEMALE, MALE), [TRAIN] * 6 + [TEST] * 2),
    *(("smith", gender, part) for gender, part in ((FEMALE, TRAIN), (FEMALE, TEST), (MALE, TRAIN))),
]
DESIGN = pd.DataFrame(
    [(number, form, *person) for form in FORMS for number, person in enumerate(PEOPLE)],
    columns=["biography", "form", "occupation", "gender", "part"],
)


def test_a_model_is_fine_tuned_for_each_form_and_training_set():
    trainings = costs.trainings(DESIGN, 2, 2, TRAINING)
    # half of 24 texts, of which one in six of each occupation is held out: 0.2 of 6, rounded
    assert trainings.texts == [10] * 4
    # these two in six evaluations, and the 8 to test on
    assert trainings.evaluated == [2 * 2 * 3 + 8] * 4
    assert trainings.counted("finetune", 1)["passes"] == 4 * 3 * 3


def test_probes_are_trained_on_texts_of_every_form_and_weighting():
    assert costs.probes(DESIGN, 2)["sentences"] == 24 * 4
