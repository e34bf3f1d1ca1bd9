package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pairmux/pairmux/envelope"
)

// startup is one user's start-up files. What a theme or a framework does to a
// shell's hooks is reduced here to the part that matters.
type startup struct {
	shell, name string
	files       map[string]string // relative to HOME
	mode        envelope.Mode
	// prompt is text that must be on the screen: the user's own prompt or hook
	// still works.
	prompt string
	// twisted set-ups print something of their own around each command; there
	// the output only has to contain what was printed.
	contains bool
}

var startups = []startup{
	{shell: "bash", name: "plain"},
	{shell: "bash", name: "PROMPT_COMMAND string", files: bashrc(`PROMPT_COMMAND='echo before-prompt'`), prompt: "before-prompt"},
	{shell: "bash", name: "PROMPT_COMMAND array", files: bashrc(`PROMPT_COMMAND=('echo one' 'echo two')`), prompt: "two"},
	{shell: "bash", name: "PROMPT_COMMAND with a final semicolon", files: bashrc(`PROMPT_COMMAND='echo pc; '`), prompt: "pc"},
	{shell: "bash", name: "exported PROMPT_COMMAND", files: bashrc(`export PROMPT_COMMAND='echo exported'`), prompt: "exported"},
	{shell: "bash", name: "status in the prompt", files: bashrc(`PS1='[$?] $ '`), prompt: "[1] $"},
	{shell: "bash", name: "a prompt made anew each time, as starship does", files: bashrc("_star() { local s=$?; PS1=\"star[$s] > \"; }\nPROMPT_COMMAND=_star"), prompt: "star[1] >"},
	{shell: "bash", name: "a prompt of two lines", files: bashrc(`PS1='\n\u@\h \w\n=> '`), prompt: "=>"},
	{shell: "bash", name: "a coloured prompt with a title", files: bashrc(`PS1='\[\e]0;t\a\]\[\e[32m\]col\[\e[0m\]$ '`), prompt: "col$"},
	{shell: "bash", name: "bash-preexec", files: bashrc(preexecLike), prompt: "precmd-ran"},
	{shell: "bash", name: "a DEBUG trap", files: bashrc(`trap ':' DEBUG`)},
	{shell: "bash", name: "an ERR trap", files: bashrc(`trap 'echo err-trap' ERR`), contains: true},
	{shell: "bash", name: "set -u", files: bashrc(`set -u`)},
	{shell: "bash", name: "set -o vi", files: bashrc(`set -o vi`)},
	{shell: "bash", name: "noclobber", files: bashrc(`set -o noclobber`)},
	{shell: "bash", name: "failglob and nullglob", files: bashrc(`shopt -s failglob nullglob`)},
	{shell: "bash", name: "IFS", files: bashrc(`IFS=:`)},
	{shell: "bash", name: "promptvars off", files: bashrc(`shopt -u promptvars`)},
	{shell: "bash", name: "ignorespace and erasedups", files: bashrc(`HISTCONTROL=ignoreboth:erasedups`)},
	{shell: "bash", name: "history off", files: bashrc(`set +o history`)},
	{shell: "bash", name: "HISTTIMEFORMAT", files: bashrc(`HISTTIMEFORMAT='%F %T '`)},
	{shell: "bash", name: "an empty PS2", files: bashrc(`PS2=''`)},
	{shell: "bash", name: "PS0 of the user", files: bashrc(`PS0='ps0-shown\n'`), prompt: "ps0-shown"},
	{shell: "bash", name: "readonly PS1", files: bashrc("PS1='ro> '\nreadonly PS1"), prompt: "ro>"},
	{shell: "bash", name: "aliases of builtins", files: bashrc("alias printf='echo no' local='echo no' return='echo no' read='echo no'")},
	{shell: "bash", name: "functions over builtins", files: bashrc("printf() { command printf \"$@\"; }\necho() { builtin echo \"$@\"; }")},
	{shell: "bash", name: "return in the middle", files: bashrc("PS1='mid> '\nreturn 3\nPS1='never> '"), prompt: "mid>"},
	{shell: "bash", name: "set -x", files: bashrc(`set -x`), contains: true},
	{shell: "bash", name: "stdout moved by exec", files: bashrc(`exec 3>&1`)},
	{shell: "bash", name: "a profile that reads .bashrc", files: map[string]string{".bash_profile": "PROFILE=read\n. ~/.bashrc\n", ".bashrc": "PS1=\"$PROFILE> \"\n"}, prompt: "read>"},
	{shell: "bash", name: "exec of another shell", files: bashrc(`exec bash --norc`), mode: envelope.ModeSentinel},

	{shell: "zsh", name: "plain"},
	{shell: "zsh", name: "right prompt", files: zshrc(`RPROMPT='%T'`)},
	{shell: "zsh", name: "right prompt and two lines", files: zshrc("PROMPT=$'%~\\n%# '\nRPROMPT='right'"), prompt: "right"},
	{shell: "zsh", name: "precmd that prints", files: zshrc(`precmd() { print precmd-ran }`), prompt: "precmd-ran"},
	{shell: "zsh", name: "hook arrays", files: zshrc("a() { print hook-a }\nb() { print hook-b }\nprecmd_functions+=(a)\npreexec_functions+=(b)"), prompt: "hook-a"},
	{shell: "zsh", name: "emptied hook arrays", files: zshrc(`precmd_functions=() preexec_functions=()`)},
	{shell: "zsh", name: "an oh-my-zsh theme", files: zshrc("setopt prompt_subst\ngit_info() { echo main }\nPROMPT='%{%F{green}%}omz%{%f%} $(git_info) $ '"), prompt: "omz main $"},
	{shell: "zsh", name: "instant prompt, as powerlevel10k", files: zshrc("print -n 'instant> '\nprint -n '\\r\\e[K'\nautoload -Uz add-zsh-hook\n_p10k() { PROMPT='p10k> ' }\nadd-zsh-hook precmd _p10k"), prompt: "p10k>"},
	{shell: "zsh", name: "transient prompt", files: zshrc("PROMPT='long prompt> '\nautoload -Uz add-zle-hook-widget\n_fin() { PROMPT='> ' zle reset-prompt }\nadd-zle-hook-widget line-finish _fin\n_pre() { PROMPT='long prompt> ' }\nautoload -Uz add-zsh-hook\nadd-zsh-hook precmd _pre"), prompt: "long prompt>"},
	{shell: "zsh", name: "no end-of-line mark", files: zshrc(`unsetopt prompt_cr prompt_sp`)},
	{shell: "zsh", name: "no prompt escapes", files: zshrc("unsetopt prompt_percent\nPROMPT='raw> '"), prompt: "raw>", contains: true},
	{shell: "zsh", name: "nounset", files: zshrc(`setopt nounset`)},
	{shell: "zsh", name: "ksharrays", files: zshrc(`setopt ksh_arrays`)},
	{shell: "zsh", name: "noclobber", files: zshrc(`setopt noclobber`)},
	{shell: "zsh", name: "interactive comments and extended glob", files: zshrc(`setopt interactive_comments extended_glob`)},
	{shell: "zsh", name: "vi mode", files: zshrc(`bindkey -v`)},
	{shell: "zsh", name: "global aliases", files: zshrc("alias -g L='| less'\nalias printf='print no'")},
	{shell: "zsh", name: "xtrace", files: zshrc(`setopt xtrace`), contains: true},
	{shell: "zsh", name: "ZDOTDIR in .zshenv", files: map[string]string{".zshenv": "export ZDOTDIR=$HOME/z\n", "z/.zshrc": "PROMPT='zdot> '\n"}, prompt: "zdot>"},
	{shell: "zsh", name: "all start-up files", files: map[string]string{".zshenv": "E=1\n", ".zprofile": "P=2\n", ".zshrc": "PROMPT=\"$E$P> \"\n", ".zlogin": "L=3\n"}, prompt: "12>"},
	{shell: "zsh", name: "history options", files: zshrc("HISTFILE=~/.zsh_history\nSAVEHIST=100\nsetopt hist_ignore_space inc_append_history")},

	{shell: "fish", name: "plain"},
	{shell: "fish", name: "a prompt of its own", files: fishrc("function fish_prompt; echo -n 'fp> '; end"), prompt: "fp>"},
	{shell: "fish", name: "right prompt", files: fishrc("function fish_right_prompt; echo right; end"), prompt: "right"},
	{shell: "fish", name: "vi mode", files: fishrc("fish_vi_key_bindings")},
	{shell: "fish", name: "event handlers", files: fishrc("function h --on-event fish_postexec; echo post-ran; end"), prompt: "post-ran", contains: true},
	{shell: "fish", name: "no greeting", files: fishrc("set -g fish_greeting")},
}

func bashrc(s string) map[string]string { return map[string]string{".bashrc": s + "\n"} }
func zshrc(s string) map[string]string  { return map[string]string{".zshrc": s + "\n"} }
func fishrc(s string) map[string]string {
	return map[string]string{".config/fish/config.fish": s + "\n"}
}

// preexecLike joins PROMPT_COMMAND into one string and runs functions from a
// DEBUG trap, as bash-preexec does.
const preexecLike = `
__pe_precmd() { local s=$?; echo precmd-ran; return $s; }
__pe_debug() { :; }
__pe_install() { PROMPT_COMMAND="__pe_precmd"$'\n'"${PROMPT_COMMAND[*]}"; trap __pe_debug DEBUG; }
__pe_install
`

// TestStartupFiles runs the same few commands below each user's start-up files:
// outputs and codes stay exact, and what the user has set up still works.
func TestStartupFiles(t *testing.T) {
	for _, s := range startups {
		t.Run(s.shell+"/"+strings.ReplaceAll(s.name, " ", "-"), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			for name, text := range s.files {
				file := filepath.Join(w.dir, "home", name)
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if _, ok := s.files[".zshrc"]; s.shell == "zsh" && !ok && s.files == nil {
				// Without any file zsh asks whether to make one.
				_ = os.WriteFile(filepath.Join(w.dir, "home", ".zshrc"), nil, 0o644)
			}
			mode := s.mode
			if mode == "" {
				mode = envelope.ModeHooks
			}
			fail := "sh -c 'exit 3'"
			steps := []struct{ cmd, out, code string }{
				{"echo hi; " + fail, "hi", "3"},
				{"/usr/bin/printf abc", "abc", "0"},
				{"true", "", "0"},
				{`echo "wow!" é`, "wow! é", "0"},
				{"false", "", "1"},
			}
			r := w.must(t, "new", "t", "--shell", mustFind(t, s.shell), "--timeout", "60s")
			if r.Status != envelope.StatusCreated || r.Mode != mode {
				t.Fatalf("new: %s", brief(r))
			}
			for _, step := range steps {
				r := w.must(t, "run", "t", step.cmd, "--timeout", "30s")
				code := "-"
				if r.ExitCode != nil {
					code = itoa(*r.ExitCode)
				}
				same := r.Output == step.out || s.contains && strings.Contains(r.Output, step.out)
				if r.Status != envelope.StatusDone || code != step.code || !same {
					log := w.must(t, "log", "t")
					t.Fatalf("%q\n got %s\nwant %s %q\nlog: %q", step.cmd, brief(r), step.code, step.out, log.Output)
				}
			}
			if r := w.must(t, "run", "t", "echo 'abc"); r.Error == nil || r.Error.Code != envelope.CodeBadArgs {
				t.Errorf("incomplete: %s", brief(r))
			}
			if r := w.must(t, "run", "t", "echo after", "--timeout", "30s"); r.Output != "after" && !s.contains {
				t.Errorf("after: %s", brief(r))
			}
			w.must(t, "wait", "t", "--idle", "50", "--timeout", "20s")
			if log := w.must(t, "log", "t"); s.prompt != "" && !strings.Contains(log.Output, s.prompt) {
				t.Errorf("the user's %q is not on the screen: %q", s.prompt, log.Output)
			}
		})
	}
}

// must is call for replies that have to come.
func (w *world) must(t *testing.T, args ...string) *envelope.Reply {
	t.Helper()
	r, err := w.call("", args...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
