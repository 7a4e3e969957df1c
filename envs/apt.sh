# What scripts that install system packages share.

say() { printf '\n== %s\n' "$*"; }
fail() { printf '\nsetup: %s\n' "$*" >&2; exit 1; }

# busy COMMAND…: runs it, and shows for how long it has been running: every second, in a file every fifteen.
busy() {
    local status=0 seconds=0 ticker
    while sleep 1 && kill -0 $$ 2> /dev/null; do
        seconds=$((seconds + 1))
        if [ -t 2 ]; then printf '\r   %d s ' $seconds >&2; elif ((seconds % 15 == 0)); then echo "   $seconds s" >&2; fi
    done &
    ticker=$!
    "$@" || status=$?
    kill $ticker
    wait $ticker 2> /dev/null || true
    return $status
}

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
    busy $sudo apt-get update -qq
    # behind sudo, which would not let the variable through
    busy $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" > /dev/null
}
