package main

import (
	"fmt"
	"strings"

	"github.com/pairmux/pairmux/envelope"
)

// A task is one job, done by pairmux with the fewest calls that its interface
// allows, and by bare tmux. Both open their terminal and check their result.
type task struct {
	name    string
	pairmux func(a *agent)
	tmux    func(a *raw)
}

const (
	created = envelope.StatusCreated
	done    = envelope.StatusDone
	running = envelope.StatusRunning
	asks    = envelope.StatusAwaitingInput
	found   = envelope.StatusPatternFound
	human   = envelope.StatusHumanDone
)

// open makes a terminal with a shell.
func (a *agent) open(name string) { a.do("new", args{"name": name}, created) }

func tasks() []task {
	const (
		build   = `for i in $(seq 40); do echo "compiling unit $i"; sleep 0.03; done; echo "error: unit 40 is broken"; (exit 2)`
		lines   = `for i in $(seq 10000); do if [ $i = 7321 ]; then echo "line $i: NEEDLE in here"; else echo "line $i: hay"; fi; done`
		confirm = `printf 'Delete 3 files? [y/N] '; read -r a; echo "answered $a"`
		secret  = `read -rsp 'Password: ' p; echo; echo "length ${#p}"`
		repl    = `while printf '>>> ' && read -r l; do echo $(($l)); done`
		server  = `mkfifo req; exec 3<>req; echo listening; while read -r l <&3; do echo "served $l"; done`
		exit    = `; echo "exit=$?"`
	)
	return []task{
		{
			name: "run and read",
			pairmux: func(a *agent) {
				a.open("t")
				r := a.do("run", args{"terminal": "t", "command": "uname; (exit 3)"}, done)
				a.must(exited(r, 3) && r.Output != "", "output and code", r)
			},
			tmux: func(a *raw) {
				a.open("t")
				a.line("t", "uname; (exit 3)"+exit)
				a.must(a.look("t", `^exit=(\d+)`)[1] == "3", "the exit code")
			},
		},
		{
			name: "slow build",
			pairmux: func(a *agent) {
				a.open("t")
				r := a.do("run", args{"terminal": "t", "command": build}, done)
				a.must(exited(r, 2) && strings.HasSuffix(r.Output, "is broken"), "output and code", r)
			},
			tmux: func(a *raw) {
				a.open("t")
				a.line("t", build+exit)
				a.must(a.look("t", `^exit=(\d+)`)[1] == "2", "the exit code")
			},
		},
		{
			name: "needle in 10,000 lines",
			pairmux: func(a *agent) {
				a.open("t")
				r := a.do("run", args{"terminal": "t", "command": lines, "head": 0, "tail": 1}, done)
				a.must(exited(r, 0), "the code", r)
				r = a.do("log", args{"terminal": "t", "grep": "NEEDLE in"}, "ok")
				a.must(strings.Contains(r.Output, "line 7321: NEEDLE in here"), "the needle", r)
			},
			tmux: func(a *raw) {
				// Without this the first 8,000 lines would be gone.
				a.tmux("-f", "/dev/null", "start-server", ";", "set-option", "-g", "history-limit", "20000",
					";", "new-session", "-d", "-s", "t", "-x", "200", "-y", "50")
				a.line("t", lines+exit)
				a.look("t", `^exit=0`)
				out, _ := a.run("sh", "-c", "tmux -L raw capture-pane -p -J -S - -t t | grep -n 'NEEDLE in'")
				a.least.add(len(out))
				a.must(strings.Contains(out, "line 7321: NEEDLE in here"), "the needle")
			},
		},
		{
			name: "confirm",
			pairmux: func(a *agent) {
				a.open("t")
				r := a.do("run", args{"terminal": "t", "command": confirm}, asks)
				a.must(r.Prompt != nil && r.Prompt.Kind == envelope.KindConfirm, "the prompt", r)
				r = a.do("send", args{"terminal": "t", "text": "y", "enter": true, "wait": "done"}, done)
				a.must(exited(r, 0) && strings.HasSuffix(r.Output, "answered y"), "the answer", r)
			},
			tmux: func(a *raw) {
				a.open("t")
				a.line("t", confirm+exit)
				a.look("t", `^Delete 3 files\? \[y/N\] ?$`)
				a.line("t", "y")
				a.must(a.look("t", `(?s)answered y.*^exit=(\d+)`)[1] == "0", "the exit code")
			},
		},
		{
			name: "secret handoff",
			pairmux: func(a *agent) {
				a.open("t")
				r := a.do("run", args{"terminal": "t", "command": secret}, asks)
				a.must(r.Prompt != nil && r.Prompt.Kind == envelope.KindSecret, "the prompt", r)
				typed := a.human("pairmux", "Password:", "hunter2", "Enter")
				r = a.do("wait", args{"terminal": "t", "human": true, "notify": true}, running, done)
				if r.Status == running {
					r = a.do("wait", args{"terminal": "t", "done": true}, done)
				}
				a.must(exited(r, 0), "the code", r)
				a.fails(<-typed)
			},
			tmux: func(a *raw) {
				a.open("t")
				a.line("t", secret+exit)
				a.look("t", `^Password: ?$`)
				typed := a.human("raw", "Password:", "hunter2", "Enter")
				a.must(a.look("t", `(?s)length 7.*^exit=(\d+)`)[1] == "0", "the exit code")
				a.fails(<-typed)
			},
		},
		{
			name: "REPL",
			pairmux: func(a *agent) {
				a.do("new", args{"name": "t", "cmd": repl}, created, running, asks)
				for i := range 3 {
					r := a.do("send", args{"terminal": "t", "text": fmt.Sprintf("%d*7", 100+i), "enter": true, "wait": "idle"}, asks)
					a.must(strings.Contains(r.Output, fmt.Sprint((100+i)*7)), "the answer", r)
				}
			},
			tmux: func(a *raw) {
				a.open("t", "bash", "-c", repl)
				a.look("t", `^>>> ?$`)
				for i := range 3 {
					a.line("t", fmt.Sprintf("%d*7", 100+i))
					a.look("t", fmt.Sprintf(`^%d\n>>> ?$`, (100+i)*7))
				}
			},
		},
		{
			name: "pager",
			pairmux: func(a *agent) {
				a.open("t")
				r := a.do("run", args{"terminal": "t", "command": "seq 1000 | less"}, asks)
				a.must(r.Prompt != nil && r.Prompt.Kind == envelope.KindPager, "the prompt", r)
				r = a.do("send", args{"terminal": "t", "text": "q", "wait": "done"}, done)
				a.must(exited(r, 0), "the code", r)
			},
			tmux: func(a *raw) {
				a.open("t")
				a.line("t", "seq 1000 | less"+exit)
				a.look("t", `^49\n:`)
				a.tmux("send-keys", "-t", "t", "q")
				a.must(a.look("t", `^exit=(\d+)`)[1] == "0", "the exit code")
			},
		},
		{
			name: "server and client",
			pairmux: func(a *agent) {
				a.do("new", args{"name": "server", "cmd": server}, created, running)
				a.do("wait", args{"terminal": "server", "pattern": "^listening", "since": "start"}, found)
				a.open("client")
				r := a.do("run", args{"terminal": "client", "command": "echo hello >req"}, done)
				a.must(exited(r, 0), "the code", r)
				a.do("wait", args{"terminal": "server", "pattern": "^served hello", "since": "start"}, found)
			},
			tmux: func(a *raw) {
				a.open("server", "bash", "-c", server)
				a.look("server", `^listening`)
				a.open("client")
				a.line("client", "echo hello >req"+exit)
				a.must(a.look("client", `^exit=(\d+)`)[1] == "0", "the exit code")
				a.look("server", `^served hello`)
			},
		},
		{
			name: "interrupt and recover",
			pairmux: func(a *agent) {
				a.open("t")
				a.do("run", args{"terminal": "t", "command": "echo stuck; sleep 600", "timeout": "300ms"}, running)
				r := a.do("send", args{"terminal": "t", "keys": []string{"C-c"}, "wait": "done"}, done)
				a.must(exited(r, 130), "the code", r)
				r = a.do("run", args{"terminal": "t", "command": "echo recovered"}, done)
				a.must(exited(r, 0) && r.Output == "recovered", "the shell", r)
			},
			tmux: func(a *raw) {
				a.open("t")
				// C-c takes the whole line away, and with it what would print the code.
				a.line("t", "echo stuck; sleep 600")
				a.look("t", `^stuck`)
				a.tmux("send-keys", "-t", "t", "C-c")
				// What is typed before the prompt is back would be lost.
				a.look("t", `\^C\n\$ ?$`)
				a.line("t", `echo "was=$?"; echo recovered`+exit)
				a.must(a.look("t", `(?s)^was=(\d+)\nrecovered\nexit=0`)[1] == "130", "the exit code")
			},
		},
		{
			name: "note relay",
			pairmux: func(a *agent) {
				a.open("t")
				a.note()
				r := a.do("run", args{"terminal": "t", "command": "echo deployed"}, done)
				a.must(exited(r, 0) && len(r.Notes) == 1 && r.Notes[0] == "use staging", "the note", r)
			},
			tmux: func(a *raw) {
				// There are no notes: the human writes a comment at the prompt, and the
				// agent has to look before it types.
				a.open("t")
				a.look("t", `\$ ?$`)
				a.fails(<-a.human("raw", "$", "# use staging", "Enter"))
				a.look("t", `# use staging`)
				a.line("t", "echo deployed"+exit)
				a.must(a.look("t", `^exit=(\d+)`)[1] == "0", "the exit code")
			},
		},
	}
}

// note is what a human says in passing.
func (a *agent) note() {
	if a.err == nil {
		_, err := a.output(nil, a.bin, "note", "t", "use staging")
		a.fails(err)
	}
}

func (a *agent) fails(err error) {
	if a.err == nil {
		a.err = err
	}
}

func (a *raw) fails(err error) {
	if a.err == nil {
		a.err = err
	}
}
