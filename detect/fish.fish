# pairmux shell integration for fish. Generated for one terminal; the nonce in it
# is this terminal's secret. Read with -C, after the user's own files.
set -g __pairmux_aid @AID@
set -g __pairmux_dir @DIR@
set -g __pairmux_n 0
set -g __pairmux_stopped 0
set -g __pairmux_shown 0
set -g __pairmux_line

function __pairmux_start --on-event fish_preexec
    set -g __pairmux_stopped (jobs | string match -e stopped | count)
    set -g __pairmux_line "$argv[1]"
    printf '\033]133;C;aid=%s;n=%s\a' $__pairmux_aid $__pairmux_n >/dev/tty
end

function __pairmux_end --on-event fish_postexec
    set -l code $status
    # Of a command that was stopped fish keeps the status of the one before.
    if jobs -q
        test (jobs | string match -e stopped | count) -gt "$__pairmux_stopped"; and set code 148
    end
    printf '\033]133;D;%s;aid=%s;n=%s;d=%s\a' $code $__pairmux_aid $__pairmux_n "$CMD_DURATION" >/dev/tty
end

function __pairmux_show --on-event fish_prompt
    # Themes and the user may have replaced the prompt function: then the prompt
    # before this one did not say that it was ready.
    test $__pairmux_shown = $__pairmux_n; or __pairmux_wrap
    set -g __pairmux_n (math $__pairmux_n + 1)
    # The finished command's line, where nobody waits for it.
    printf '\033]133;A;aid=%s;n=%s;f=c;cmdline_url=%s\a' $__pairmux_aid $__pairmux_n (string escape --style=url -- (string sub -l 2000 -- "$__pairmux_line")) >/dev/tty
    set -g __pairmux_line
end

function __pairmux_ready
    set -g __pairmux_shown $__pairmux_n
    printf '\033]133;B;aid=%s;n=%s\a' $__pairmux_aid $__pairmux_n
end

# The line editor reads once the prompt function has printed everything. The
# user's own prompt still sees the last command's status.
function __pairmux_wrap
    functions -e __pairmux_user_prompt
    functions -q fish_prompt; and functions -c fish_prompt __pairmux_user_prompt
    function fish_prompt
        __pairmux_user_prompt
        __pairmux_ready
    end
end

function __pairmux_install
end

__pairmux_wrap
