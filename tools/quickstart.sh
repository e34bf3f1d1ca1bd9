#!/bin/sh
# quickstart.sh BINARY: an agent's whole loop on a real tmux server that has
# nothing to do with yours, and is gone afterwards.
set -eu

bin=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
dir=$(mktemp -d /tmp/pairmux-quickstart.XXXXXX)
unset TMUX TMUX_PANE PAIRMUX_SOCKET PAIRMUX_STATE_DIR
# Its own server, journals and shell history.
export TMUX_TMPDIR="$dir" XDG_STATE_HOME="$dir/state" HOME="$dir"
SHELL=$(command -v bash)
export SHELL
PATH=$(dirname "$bin"):$PATH
export PATH

cleanup() {
	"$bin" kill --all >/dev/null 2>&1 || :
	tmux -L pairmux kill-server >/dev/null 2>&1 || :
	rm -rf "$dir"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

cd "$dir"
say() { printf '\n# %s\n' "$*"; }
# Shows a command as it would be typed, and runs it.
show() {
	printf '$ pairmux'
	for word; do
		case $word in
		*[!A-Za-z0-9_./=-]*) printf " '%s'" "$word" ;;
		*) printf ' %s' "$word" ;;
		esac
	done
	printf '\n'
	"$bin" "$@"
}

say 'Open a terminal: a shell in a real tmux window, its journal running.'
show new build
say 'Run a command. The reply has exactly its output, its exit code, its time.'
show run build 'echo hello from $(uname -s); cd /tmp'
say 'It is one shell: the directory stayed. A failure is an outcome, not an error.'
show run build 'pwd; ls /nope'
say 'The same for programs: one line of JSON.'
show --json run build 'seq 1 3; false'
say 'A command that asks does not hang the call. The reply says that it waits.'
show run build 'read -r -p "Deploy? [y/N] " a; echo "you said $a"' --timeout 30s
say 'Answer it, and wait for its end.'
show send build --text y --enter --wait done
say 'The journal keeps everything, for every command.'
show log build --grep '^(hello|you said)'
show history build
show ls
say 'End it. The journal stays until it is pruned.'
show kill build
printf '\nThat was bin/pairmux on a private tmux server; nothing is left running. "pairmux help" has the rest.\n'
