#!/bin/sh
# need.sh [-packages FILE] TOOL…: install those that are missing with the
# system's package manager, or say how. "go" is only checked: a distribution's
# is mostly too old. FILE has names of Debian packages, one a line, with
# comments; it is for systems that have apt-get, and passed over elsewhere.
set -u

say() { printf '%s\n' "$*" >&2; }
die() { say "error: $*"; exit 1; }

# The name of a tool's package, where it differs from the tool's.
package() {
	case "$manager:$1" in
	apt:node | dnf:node | pacman:node | apk:node) echo nodejs ;;
	apt:ps | dnf:ps) echo "procps${dnf:+-ng}" ;;
	apk:ps) echo procps ;;
	pacman:ps) echo procps-ng ;;
	brew:npm) echo node ;; # one package has both
	*) echo "$1" ;;
	esac
}

as_root() {
	if [ "$(id -u)" = 0 ]; then
		"$@"
	elif ! command -v sudo >/dev/null 2>&1; then
		die "not root and no sudo; as root, run: $*"
	elif [ -t 0 ]; then
		sudo "$@"
	else
		sudo -n "$@" </dev/null
	fi
}

need_go() {
	# Asked in the repository, so that a Go that can fetch the toolchain that
	# go.work names answers with that one.
	v=$("${GO:-go}" env GOVERSION 2>/dev/null) || v=
	minor=$(printf '%s' "$v" | sed -n 's/^go1\.\([0-9][0-9]*\).*/\1/p')
	[ "${minor:-0}" -ge 26 ] && return
	case $(uname -s) in
	Darwin) how='brew install go' ;;
	*) how='see https://go.dev/doc/install, and put its bin directory on PATH' ;;
	esac
	die "Go 1.26 or newer is needed, found ${v:-none}; $how"
}

manager=
dnf=
for m in apt-get dnf pacman apk brew; do
	if command -v $m >/dev/null 2>&1; then
		manager=${m%-get}
		break
	fi
done
# brew is preferred where it is the system's own.
[ "$(uname -s)" = Darwin ] && manager=brew
[ "$manager" = dnf ] && dnf=1

packages=
if [ "${1:-}" = -packages ]; then
	list=$2
	shift 2
	if [ "$manager" = apt ]; then
		for p in $(sed 's/#.*//' "$list"); do
			case $(dpkg-query -W -f='${db:Status-Abbrev}' "$p" 2>/dev/null) in
			ii*) ;;
			*) packages="$packages $p" ;;
			esac
		done
	else
		say "not installed, for want of apt-get: the packages of $list; tests that need one say so"
	fi
fi

missing=
for tool; do
	if [ "$tool" = go ]; then
		need_go
	elif ! command -v "$tool" >/dev/null 2>&1; then
		missing="$missing $tool"
	fi
done

if [ -n "$missing$packages" ]; then
	for tool in $missing; do packages="$packages $(package "$tool")"; done
	say "installing:$packages"
	# shellcheck disable=SC2086 # a list of words
	case $manager in
	apt)
		quiet='env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=120'
		# An empty or stale package list makes the first attempt fail.
		as_root $quiet install -y --no-install-recommends $packages >/dev/null 2>&1 || {
			as_root $quiet update >/dev/null
			as_root $quiet install -y --no-install-recommends $packages >/dev/null
		} || die "apt-get could not install:$packages"
		;;
	dnf) as_root dnf -y -q install $packages >&2 ;;
	pacman) as_root pacman -Sy --noconfirm --needed $packages >&2 ;;
	apk) as_root apk add -q $packages >&2 ;;
	brew)
		command -v brew >/dev/null 2>&1 || die "install Homebrew (https://brew.sh), or these by hand:$missing"
		brew install $packages >&2
		;;
	*) die "no package manager that this script knows; install by hand:$missing" ;;
	esac
	for tool in $missing; do
		command -v "$tool" >/dev/null 2>&1 || die "$tool is still missing"
	done
fi

for tool; do
	[ "$tool" = tmux ] || continue
	v=$(tmux -V)
	case $(printf '%s' "$v" | sed 's/^[^0-9]*\([0-9]*\)\.\([0-9]*\).*/\1 \2/') in
	[012]' '* | 3' '[01]) die "tmux 3.2 or newer is needed, found $v" ;;
	esac
done
