# pairmux shell integration for bash. Generated for one terminal; the nonce in
# it is this terminal's secret, so the file is readable by its owner only.
# Everything is defined before the user's start-up files run: their aliases
# must not change what the functions mean.
__pairmux_aid=@AID@
__pairmux_dir=@DIR@
__pairmux_pid=$$
__pairmux_n=0
__pairmux_cycle=
__pairmux_prompt=
__pairmux_start=
__pairmux_more=
__pairmux_seen=
__pairmux_carrier='^[[:space:]]*\. "\$__pairmux_dir"/run-([0-9]+)'

# First in PROMPT_COMMAND: the command has ended. Written to the terminal and
# not to fd 1, which the user may have redirected with exec.
__pairmux_end() {
  local s=$?
  if [[ $__pairmux_pid == "$$" && -z $__pairmux_cycle ]]; then
    __pairmux_cycle=1
    builtin printf '\033]133;D;%s;aid=%s;n=%s;t=%s\a' "$s" "$__pairmux_aid" "$__pairmux_n" "${EPOCHREALTIME-}" >/dev/tty
  fi
  # Where this is an entry of PROMPT_COMMAND for itself, bash restores $? for the
  # next one; elsewhere the user's text after it sees what is returned here. A
  # failure returned under "set -e" would end the shell.
  [[ -n $__pairmux_restores && ${PROMPT_COMMAND-} == __pairmux_end || $- == *e* ]] && return 0
  return "$s"
} 2>/dev/null

# The first line of a delivery that is the command's, into the caller's $first.
__pairmux_first() {
  {
    while IFS= builtin read -r first && [[ -z ${first//[[:space:]]/} || $first == '\__pairmux_install' ]]; do :; done
    [[ -n $first ]]
  } <"$1"
} 2>/dev/null

# Last in PROMPT_COMMAND: the prompt is about to be shown.
__pairmux_show() {
  local s=$? h= first= num= flags=
  [[ $__pairmux_pid == "$$" ]] || return 0
  if [[ -z $__pairmux_cycle ]]; then # the first entry was replaced
    builtin printf '\033]133;D;%s;aid=%s;n=%s;t=%s\a' "$s" "$__pairmux_aid" "$__pairmux_n" "${EPOCHREALTIME-}" >/dev/tty
  fi
  __pairmux_cycle=
  # The finished command's line, without a fork: where it stands now nobody
  # waits for it. A delivery by file is replaced by what it delivered.
  # A failure would end the shell under "set -e"; reading to the end is one.
  HISTTIMEFORMAT= builtin history 1 >|"$__pairmux_dir/history" || :
  IFS= builtin read -r -d '' h <"$__pairmux_dir/history" || :
  h=${h%$'\n'}
  if [[ $h =~ ^[[:space:]]*([0-9]+)\*?[[:space:]][[:space:]]?(.*)$ ]]; then
    num=${BASH_REMATCH[1]} h=${BASH_REMATCH[2]}
    if [[ $h =~ $__pairmux_carrier ]] && __pairmux_first "$__pairmux_dir/run-${BASH_REMATCH[1]}"; then
      builtin history -d "$num" || :
      builtin history -s -- "$first" || :
      h=$first
    elif [[ $num == "$__pairmux_seen" ]]; then
      h=
    fi
    __pairmux_seen=$num
  else
    h=
  fi
  ! builtin shopt -q interactive_comments || flags=c
  [[ -n $__pairmux_ps0 ]] || flags=${flags}n # prints no start mark
  __pairmux_n=$((__pairmux_n + 1))
  h=${h:0:4096}
  if [[ -n $h ]]; then
    builtin printf '\033]133;A;aid=%s;n=%s;f=%s;cmdline=%q\a' "$__pairmux_aid" "$__pairmux_n" "$flags" "$h" >/dev/tty
  else
    builtin printf '\033]133;A;aid=%s;n=%s;f=%s\a' "$__pairmux_aid" "$__pairmux_n" "$flags" >/dev/tty
  fi
  __pairmux_arm
  return 0
} 2>/dev/null

# Puts the marks into the prompt strings, each time anew: the user may have
# changed them. printf -v and not an assignment, which would end the function
# on a readonly variable.
__pairmux_arm() {
  local old=$__pairmux_prompt status='' clock=''
  if builtin shopt -q promptvars; then
    status=';s=$?'
    [[ -n ${EPOCHREALTIME-} ]] && clock=';t=$EPOCHREALTIME'
  fi
  __pairmux_prompt="\\[\\e]133;B;aid=$__pairmux_aid;n=$__pairmux_n$status\\a\\]"
  builtin printf -v PS1 %s "${PS1-}" && [[ -n $old ]] && builtin printf -v PS1 %s "${PS1//"$old"/}"
  builtin printf -v PS1 %s "${PS1-}$__pairmux_prompt"
  old=$__pairmux_more
  __pairmux_more="\\[\\e]133;A;k=s;aid=$__pairmux_aid;n=$__pairmux_n\\a\\]"
  [[ -n $old ]] && builtin printf -v PS2 %s "${PS2//"$old"/}"
  builtin printf -v PS2 %s "$__pairmux_more${PS2-}"
  if [[ -n $__pairmux_ps0 ]]; then
    old=$__pairmux_start
    __pairmux_start="\\e]133;C;aid=$__pairmux_aid;n=$__pairmux_n$clock\\a"
    [[ -n $old ]] && builtin printf -v PS0 %s "${PS0//"$old"/}"
    builtin printf -v PS0 %s "${PS0-}$__pairmux_start"
  fi
  __pairmux_hook
  return 0
} 2>/dev/null

# Keeps the two hooks in PROMPT_COMMAND. The array is never rebuilt from inside
# a hook, since bash walks it while the hooks run: a lost first entry is put in
# front of the text of element 0.
__pairmux_hook() {
  local c=${PROMPT_COMMAND-}
  case $c in
    __pairmux_end|__pairmux_end$'\n'*) ;;
    *)
      c=${c//__pairmux_end/:}
      builtin printf -v PROMPT_COMMAND %s "__pairmux_end${c:+$'\n'$c}"
      ;;
  esac
  if [[ -n $__pairmux_restores ]]; then
    case " ${PROMPT_COMMAND[*]-} " in
      *__pairmux_show*) ;;
      *) PROMPT_COMMAND+=(__pairmux_show) ;;
    esac
  else
    case $PROMPT_COMMAND in
      *$'\n'__pairmux_show) ;;
      *)
        c=${PROMPT_COMMAND//__pairmux_show/:}
        builtin printf -v PROMPT_COMMAND %s "$c"$'\n'__pairmux_show
        ;;
    esac
  fi
  return 0
} 2>/dev/null

# Called when the start-up files are done, and again by a delivery after the
# hooks were lost.
__pairmux_install() {
  local v=$((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1])) c
  __pairmux_restores= __pairmux_ps0=
  ((v >= 501)) && __pairmux_restores=1
  ((v >= 404)) && __pairmux_ps0=1
  builtin export -n PROMPT_COMMAND PS0 PS1 PS2 || :
  if [[ -n $__pairmux_restores ]]; then
    local -a entries=()
    for c in "${PROMPT_COMMAND[@]}"; do
      case $c in
        ''|__pairmux_end|__pairmux_show) ;;
        *) entries+=("$c") ;;
      esac
    done
    PROMPT_COMMAND=(__pairmux_end "${entries[@]}" __pairmux_show)
  else
    __pairmux_hook
  fi
  # Nothing has run yet: the first prompt reports no end.
  __pairmux_cycle=${1-}
  return 0
} 2>/dev/null

# What a login shell of this user would read. The caller's PATH survives
# /etc/profile, whose job, the environment of a fresh login, is done already.
__pairmux_path=${PATH-}
if [ -r /etc/profile ]; then . /etc/profile; fi
[ -n "$__pairmux_path" ] && PATH=$__pairmux_path
unset __pairmux_path
if [ -r ~/.bash_profile ]; then . ~/.bash_profile
elif [ -r ~/.bash_login ]; then . ~/.bash_login
elif [ -r ~/.profile ]; then . ~/.profile
elif [ -r ~/.bashrc ]; then . ~/.bashrc
fi
\__pairmux_install 1
