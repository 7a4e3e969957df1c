# What scripts that install system packages share.

say() { printf '\n== %s\n' "$*"; }
fail() { printf '\nsetup: %s\n' "$*" >&2; exit 1; }

# apt_install WHAT OTHERWISE PACKAGE…: installs packages, or says which ones root must install, and how to do without.
apt_install() {
    local what=$1 otherwise=$2 sudo=
    shift 2
    command -v apt-get > /dev/null || fail "this machine lacks these packages and has no apt-get to install them: $*. $otherwise"
    if [ "$(id -u)" -ne 0 ]; then
        sudo -n true 2> /dev/null || fail "installing $* takes root. Run once as root: apt-get install $*. $otherwise"
        sudo=sudo
    fi
    say "Installing $what"
    $sudo apt-get update -qq
    DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends "$@" > /dev/null
}
