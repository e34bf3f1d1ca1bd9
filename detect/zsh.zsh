# pairmux shell integration for zsh. Generated for one terminal; the nonce in it
# is this terminal's secret. Everything is defined before the user's files run;
# the hooks take their place at the first prompt, whatever those files did to
# the hook arrays.
typeset -g +x __pairmux_aid=@AID@ __pairmux_dir=@DIR@
typeset -gi __pairmux_n=0
typeset -g __pairmux_prompt= __pairmux_more= __pairmux_eol= __pairmux_cycle=1 __pairmux_first=
zmodload zsh/datetime 2>/dev/null

# The command has ended, for those who have switched off the end-of-line mark,
# which tells it sooner.
__pairmux_end() {
  local s=$?
  emulate -L zsh -o no_aliases -o no_xtrace -o no_err_exit
  [[ -n $__pairmux_cycle ]] && return 0
  __pairmux_cycle=1
  builtin printf '\e]133;D;%d;aid=%s;n=%d;t=%.6f\a' $s $__pairmux_aid $__pairmux_n ${EPOCHREALTIME-0} >|/dev/tty
  return 0
} 2>/dev/null

# The prompt is about to be shown.
__pairmux_show() {
  emulate -L zsh -o no_aliases -o no_xtrace -o no_err_exit
  __pairmux_cycle=
  (( __pairmux_n++ ))
  local flags=
  [[ -o interactive_comments ]] && flags=c
  builtin printf '\e]133;A;aid=%s;n=%d;f=%s\a' $__pairmux_aid $__pairmux_n "$flags" >|/dev/tty
  __pairmux_arm
  return 0
} 2>/dev/null

# Puts the marks into the prompt strings, each time anew: themes rewrite them.
__pairmux_arm() {
  emulate -L zsh -o no_aliases -o no_xtrace -o no_err_exit
  local id="aid=$__pairmux_aid;n=$__pairmux_n" old
  # An exported prompt would carry the nonce into every child.
  typeset -g +x PS1 PS2 PROMPT_EOL_MARK 2>/dev/null
  if [[ -o prompt_percent ]]; then
    old=$__pairmux_prompt
    __pairmux_prompt="%{"$'\e]133;B;'"$id;s=%?"$'\a'"%}"
    if [[ ${(t)PS1} != *readonly* ]]; then
      [[ -n $old ]] && PS1=${PS1//$old/}
      # A lone % at the end would swallow the mark.
      [[ $PS1 == *[^%]% || $PS1 == % ]] && PS1+=%
      PS1+=$__pairmux_prompt
    fi
    old=$__pairmux_more
    __pairmux_more="%{"$'\e]133;A;k=s;'"$id"$'\a'"%}"
    if [[ ${(t)PS2} != *readonly* ]]; then
      [[ -n $old ]] && PS2=${PS2//$old/}
      PS2=$__pairmux_more$PS2
    fi
    # The end-of-line mark is printed before anything else of a prompt: an end
    # here leaves the mark, the user's hooks and job notices outside the output.
    old=$__pairmux_eol
    __pairmux_eol="%{"$'\e]133;D;%?;'"$id;t=%D{%s.%6.}"$'\a'"%}"
    if [[ ${(t)PROMPT_EOL_MARK} != *readonly* ]]; then
      if (( ${+PROMPT_EOL_MARK} )); then
        [[ -n $old ]] && PROMPT_EOL_MARK=${PROMPT_EOL_MARK//$old/}
      else
        PROMPT_EOL_MARK='%B%S%#%s%b'
      fi
      PROMPT_EOL_MARK=$__pairmux_eol$PROMPT_EOL_MARK
    fi
  fi
  precmd_functions=(__pairmux_end ${precmd_functions:#(__pairmux_end|__pairmux_show|__pairmux_boot)} __pairmux_show)
  preexec_functions=(${preexec_functions:#__pairmux_start} __pairmux_start)
  zshaddhistory_functions=(${zshaddhistory_functions:#__pairmux_history} __pairmux_history)
  return 0
} 2>/dev/null

# A command line was accepted.
__pairmux_start() {
  emulate -L zsh -o no_aliases -o no_xtrace -o no_err_exit
  local line=${__pairmux_first:-$1}
  __pairmux_first=
  builtin printf '\e]133;C;aid=%s;n=%d;t=%.6f;cmdline=%s\a' $__pairmux_aid $__pairmux_n ${EPOCHREALTIME-0} "${(q+)line[1,4096]}" >|/dev/tty
  return 0
} 2>/dev/null

# In the history a delivery is replaced by the first line of what it delivers.
__pairmux_history() {
  local space= dups=
  [[ -o hist_ignore_space ]] && space=1
  [[ -o hist_ignore_dups || -o hist_ignore_all_dups ]] && dups=1
  emulate -L zsh -o no_aliases -o no_xtrace -o no_err_exit -o extended_glob
  __pairmux_first=
  local line=${1%$'\n'} first=
  if [[ $line == (#b)' '#'. "$__pairmux_dir"/run-'([0-9]##)* ]]; then
    {
      while IFS= builtin read -r first && [[ -z ${first//[[:space:]]/} || $first == '\__pairmux_install' ]]; do :; done
    } <"$__pairmux_dir/run-$match[1]"
    __pairmux_first=$first
    [[ -z $first || -n $space && $first == ' '* || -n $dups && $first == "$history[$((HISTCMD - 1))]" ]] || builtin print -sr -- "$first"
    return 1
  fi
  return 0
} 2>/dev/null

# The line editor starts: says so itself where the prompt has lost the mark.
__pairmux_line() {
  emulate -L zsh -o no_aliases -o no_xtrace -o no_err_exit
  if [[ $PS1 != *"$__pairmux_prompt"* || -z $__pairmux_prompt ]]; then
    builtin printf '\e]133;B;aid=%s;n=%d\a' $__pairmux_aid $__pairmux_n >|/dev/tty
  fi
  # Reloading the user's files drops the hooks: put them back.
  (( ${precmd_functions[(I)__pairmux_show]} && ${preexec_functions[(I)__pairmux_start]} )) || __pairmux_arm
  return 0
} 2>/dev/null

__pairmux_boot() {
  emulate -L zsh -o no_aliases -o no_xtrace -o no_err_exit
  (( __pairmux_n )) && return 0
  autoload -Uz add-zle-hook-widget
  add-zle-hook-widget line-init __pairmux_line
  __pairmux_show
  return 0
} 2>/dev/null

\__pairmux_install() { __pairmux_arm }

precmd_functions+=(__pairmux_boot)
zmodload zsh/sched 2>/dev/null && sched +0 __pairmux_boot
