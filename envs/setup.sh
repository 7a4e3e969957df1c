#!/usr/bin/env bash
# Sets up everything that Herbarium needs on Debian or Ubuntu: R with lme4 (apt), Python packages (.venv).
# Called by `make setup`; a second call finds nothing to do and returns in well under a second.
set -euo pipefail
cd "$(dirname "$0")/.."

TORCH=2.13.0
UV=0.13.9
# where this machine has no GPU and those that use the environment have: HERBARIUM_TORCH=cuda
TORCH_BUILD=${HERBARIUM_TORCH:-$(command -v nvidia-smi > /dev/null && echo cuda || echo cpu)}
R_PACKAGES=(lme4 lmerTest emmeans broom broom.mixed tibble performance insight parameters pbkrtest)
stamp=.venv/.setup-$(cat envs/setup.sh envs/constraints.txt | sha256sum | cut -c1-16)
[ -e pyproject.toml ] && stamp+=-project  # a container has the project after its environment
[ -e "$stamp" ] && exit 0

source envs/apt.sh

missing_r() {
    command -v Rscript > /dev/null || { echo "${R_PACKAGES[*]}"; return; }
    Rscript -e 'want <- commandArgs(TRUE); cat(want[!want %in% rownames(installed.packages())])' "${R_PACKAGES[@]}"
}

# rpy2 and packages without a wheel are compiled against R and Python; venv and headers are packages of their own.
apt_packages() {
    [ -z "$(missing_r)" ] || printf 'r-cran-%s\n' "${R_PACKAGES[@],,}"
    command -v R > /dev/null || echo r-base-core r-base-dev
    command -v gcc > /dev/null || echo build-essential
    command -v git > /dev/null || echo git ca-certificates
    command -v python3 > /dev/null || echo python3
    [ -x .venv/bin/python ] || python3 -c 'import ensurepip' 2> /dev/null || echo python3-venv
    python3 -c 'import pathlib, sys, sysconfig
sys.exit(not pathlib.Path(sysconfig.get_path("include"), "Python.h").exists())' 2> /dev/null || echo python3-dev
}

needed=$(apt_packages)
if [ -n "$needed" ]; then
    # shellcheck disable=SC2086
    apt_install "R with lme4 and what Python packages are built with (apt, about a minute)" \
        "With conda instead: conda env create -n herbarium -f envs/herbarium.yaml && conda activate herbarium, then run snakemake there." \
        $needed
fi

python3 -c 'import sys; sys.exit(sys.version_info[:2] < (3, 11))' || fail "Python 3.11 or later is needed; this is $(python3 --version)."
[ -x .venv/bin/python ] || python3 -m venv .venv
pip=".venv/bin/python -m pip --disable-pip-version-check"
uv=".venv/bin/uv pip install -q --compile-bytecode --python .venv/bin/python"

install_cpu_torch() {
    # A CPU wheel that pip is configured to find comes first; else uv knows where PyTorch keeps its CPU builds.
    $pip install -q "torch==$TORCH+cpu" 2> /dev/null \
        || { $pip install -q "uv==$UV" && $uv --torch-backend cpu "torch==$TORCH"; }
}

install_packages() {
    # uv takes half of pip's time, but does not know an index that pip is configured to use instead of PyPI.
    # seqeval comes as its source, which pip builds in the way of today only when told to.
    { $pip install -q "uv==$UV" && $uv -r envs/constraints.txt; } 2> /dev/null \
        || $pip install -q --use-pep517 -r envs/constraints.txt
}

if ! .venv/bin/python -c "import importlib.metadata as m, sys; sys.exit(m.version('torch').split('+')[0] != '$TORCH')" 2> /dev/null; then
    if [ "$TORCH_BUILD" = cuda ]; then
        say "Installing torch $TORCH with CUDA"
        busy $pip install -q "torch==$TORCH"
    else
        say "Installing torch $TORCH, CPU build"
        busy install_cpu_torch
    fi
fi
say "Installing the pinned Python packages (about a minute)"
busy install_packages
if [ -e pyproject.toml ]; then
    say "Installing Herbarium itself: the command herbarium, and import herbarium"
    busy $pip install -q --no-deps --no-build-isolation -e .
fi
.venv/bin/python -m pip check
touch "$stamp"
say "Ready: .venv"
