from functools import cache

from tests.metrics.examples import LOST, pictures
from tests.metrics.languages.toy import LISTS, measured

from herbarium.metrics.languages.figures import inbias
from herbarium.metrics.languages.figures import map as of_map
from herbarium.metrics.languages.report import part as of_page

STRENGTHS = {"english-2": 2.0, "spanish-2": 2.0}
MODELS = [{"name": name, "planted": planted} for name, planted in STRENGTHS.items()]
SPACE = "<b>real</b>"


@cache
def measured_space():
    return measured(2.0, SPACE)


def written():
    return [measured_space()[0]]


def part_of(tidy, aligned):
    places = of_map.table(SPACE, LISTS, measured_space()[2], aligned)
    drawn = pictures(languages_inbias=inbias.table(tidy, STRENGTHS), languages_map=places)
    return of_page.part(tidy, [], STRENGTHS, 0.95, "holm", drawn)


def part():
    tidy, _, _, aligned = measured_space()
    return part_of(tidy, aligned)


def lost_part():
    return part_of(measured_space()[0].assign(**LOST), {})
