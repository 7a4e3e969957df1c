# Each target does all the set-up it needs: see envs/setup.sh.
PATH := $(CURDIR)/.venv/bin:$(PATH)
SHELL := /bin/bash
CORES ?= $(shell nproc)
# Jobs start from one process that has imported their libraries. `make demo WARM=` starts each as a new one.
WARM = python workflow/warm/run.py
NOTEBOOK = force
TESTS = pytest -n 2 --dist loadfile --no-loadscope-reorder

.PHONY: demo demo-full first real-models stand-ins quick test test-all test-nightly budget mutants attack test-slurm addresses setup oracles browser lint audit validity construct bench docs dag pictures pins dist clean

demo: setup  ## The main metrics on models that the workflow trains itself, in minutes; no network, no GPU
	$(WARM) snakemake --cores $(CORES) --resources gpu=1 --configfile config/demo.yaml

demo-full: setup  ## Every metric, other wordings, Greek, toxic training, further tasks and changed models
	$(WARM) snakemake --cores $(CORES) --resources gpu=1 --configfile config/demo_full.yaml

first: setup  ## Your own model next to planted ones, quick metrics only: make first MODEL=folder-or-hub-id
	@test -n "$(MODEL)" || { echo "Say which model: make first MODEL=folder-or-hub-id"; exit 2; }
	study=$$(PYTHONPATH=workflow/scripts python -m herbarium.study.first "$(MODEL)" $(KIND)) \
	    && $(WARM) snakemake --cores $(CORES) --resources gpu=1 --configfile "$$study"

real-models: oracles browser  ## Measure models that anyone can have, and write docs/real_models.md; a network, most of an hour
	python docs/real_models/fetch.py
	$(WARM) snakemake --cores $(CORES) --resources gpu=1 --configfile docs/real_models/study.yaml
	PYTHONPATH=workflow/scripts:.:.oracles python docs/real_models/peers.py
	PYTHONPATH=workflow/scripts:docs python docs/real_models/page.py

stand-ins: setup  ## The core study on tiny random models and texts of ours; make stand-ins EVERYTHING=1: all of it, reduced
	PYTHONPATH=workflow/scripts python -m herbarium.study.stand_ins $(if $(EVERYTHING),everything,core)

quick: setup  ## The tests that find most faults in a second, for every save; those of the rooms of files: make quick FILES="a b"
	$(TESTS) -m "not slow and not nightly and not network" $$(python tests/quick.py $(FILES))

test: setup  ## The fast tests: the library, the rules, the documentation
	$(TESTS) -m "not slow and not nightly and not network"

test-all: setup  ## These and the slow ones: whole workflows, trained models, a browser; results/tests.txt names the slowest
	@mkdir -p results
	set -o pipefail; $(TESTS) -m "not network and not nightly" --cpu=results/cpu.csv --durations=30 | tee results/tests.txt

test-nightly: setup  ## What takes long and guards against rare faults
	$(TESTS) -m "nightly and not network"

budget: setup  ## No file of tests takes more CPU time in the last `make test-all` than tests/budget.csv grants
	PYTHONPATH=. python tests/budget.py check results/cpu.csv

attack: setup  ## Every kind of damage to every kind of file; part of test-nightly
	pytest tests/attack

mutants: setup  ## Which realistic faults in the code the fast tests of its room notice: make mutants ROOMS="scoring sofa"
	python tests/mutation/run.py $(ROOMS)

test-slurm: setup  ## A study on a Slurm cluster of one node, made for the test: takes root
	tests/slurm/on_cluster.sh pytest tests/slurm

addresses: setup  ## The data sets, models, repositories and packages that the project names can be had; needs a network
	pytest -m network tests/study/test_addresses.py tests/package/test_release.py

setup:
	@bash envs/setup.sh

oracles: setup  ## Install the software of others that tests, `make bench` and `make real-models` compare with
	pip install -q --no-deps --upgrade --target .oracles -r envs/oracles.txt

browser:  ## Install the browser that tests/page opens the report in; takes root
	@. envs/apt.sh; command -v chromium > /dev/null || apt_install Chromium "Without it these tests are skipped." chromium

lint: setup  ## What .ci/run checks before the tests
	ruff check --no-cache . && ruff format --check . && snakefmt --check Snakefile workflow/rules
	snakemake --lint --configfile config/demo.yaml

audit: setup  ## Known vulnerabilities of the pinned packages; needs a network
	python envs/audit.py

validity: setup  ## Error rates of what the page prints, by simulation: resources/*/validity.csv; an hour or two
	PYTHONPATH=workflow/scripts:. python studies/validity/run.py

construct: setup  ## What the primary numbers find in 50 models of known bias: resources/reliability/models.csv; an hour or two
	PYTHONPATH=workflow/scripts:. python studies/validity/models.py $(CORES)

bench: setup  ## Speed, compared with a floor and with other software: docs/benchmarks.md; an hour, or make bench SHORT=1 to try
	for file in $(filter-out %/shared.py,$(wildcard studies/benchmarks/*.py)) studies/benchmarks/shared.py; do \
	    PYTHONPATH=workflow/scripts:.:.oracles python $$file || exit 1; \
	done
	PYTHONPATH=workflow/scripts python docs/generate.py docs/benchmarks.md docs/benchmarks.svg README.md docs/cost.md

docs: setup  ## Update what the documentation takes from the code, and build its site, without running the notebook: make docs NOTEBOOK=off
	PYTHONPATH=workflow/scripts python docs/generate.py
	pip install -q --no-deps --upgrade --target .site -r envs/site.txt
	PYTHONPATH="$(CURDIR)/.site" python -m sphinx -q -E -W --keep-going -c docs \
	    -D nb_execution_mode=$(NOTEBOOK) . results/site/html

pictures: demo browser  ## Take the picture in the README again
	python docs/pictures.py

dag: setup  ## Draw the stages in docs/workflow.md again
	PYTHONPATH=workflow/scripts python docs/generate.py docs/workflow.md

dist: setup  ## Build what a release uploads, and check it: dist/
	pip install -q --upgrade --target .release -r envs/release.txt
	rm -rf dist
	PYTHONPATH=.release python -m build -q
	PYTHONPATH=.release python -m twine check --strict dist/*

pins: setup  ## Compile envs/requirements.in into envs/constraints.txt
	pip install -q uv
	{ echo "# Every package of the environment but torch, pinned: made from requirements.in by \`make pins\`."; \
	  uv pip compile -q --no-header --no-annotate --no-emit-index-url --override <(echo "torch; sys_platform == 'none'") \
	    envs/requirements.in; } > envs/constraints.tmp
	mv envs/constraints.tmp envs/constraints.txt

clean:  ## Remove everything that runs have written, but not the environment; asks before it removes results
	@test ! -d results || { ls results && printf 'Remove the results of these studies? [y/N] ' && read answer && test "$$answer" = y; }
	rm -rf results dist .oracles .site .release .snakemake .pytest_cache .hypothesis .ruff_cache
