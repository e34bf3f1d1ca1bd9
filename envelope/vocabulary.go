package envelope

import "slices"

// Schema names the format. A reply of another schema is refused by [Decode].
const Schema = "pairmux.v1"

// Status is the outcome of an action, or the state of a terminal (SPEC 3).
type Status string

// The states of a terminal.
const (
	StatusIdle          Status = "idle"           // the shell shows its prompt
	StatusRunning       Status = "running"        // a command or program has the terminal
	StatusAwaitingInput Status = "awaiting-input" // running, and asking for something
	StatusDead          Status = "dead"           // the pane is gone, the journal stays
	StatusUnknown       Status = "unknown"        // alive, but nothing allows a confident answer
)

// The outcomes of actions.
const (
	StatusCreated   Status = "created"
	StatusDone      Status = "done"
	StatusSent      Status = "sent"
	StatusNoted     Status = "noted"
	StatusKilled    Status = "killed"
	StatusPruned    Status = "pruned"
	StatusInstalled Status = "installed"
	StatusDryRun    Status = "dry-run"
	StatusOK        Status = "ok"
	StatusIssues    Status = "issues" // doctor ran, and a check failed
)

// The outcomes that only waiting has, and the one of every error.
const (
	StatusPatternFound Status = "pattern-found"
	StatusHumanDone    Status = "human-done"
	StatusTimeout      Status = "timeout"
	StatusError        Status = "error"
)

// Mode says how the end of a command is recognised.
type Mode string

const (
	ModeHooks    Mode = "hooks"    // by marks of the shell integration
	ModeSentinel Mode = "sentinel" // by a line typed after the command; also a program terminal's label
)

// Code classifies an error. Codes are stable; messages are not.
type Code string

const (
	CodeNoTerminal Code = "E_NO_TERMINAL"
	CodeExists     Code = "E_EXISTS"
	CodeBusy       Code = "E_BUSY"
	CodeDead       Code = "E_DEAD"
	CodeBadArgs    Code = "E_BAD_ARGS"
	CodeTmux       Code = "E_TMUX"
	CodeInternal   Code = "E_INTERNAL"
	CodeTooLarge   Code = "E_TOO_LARGE" // MCP only: the reply would not fit
)

// PromptKind says what a waiting terminal asks for.
type PromptKind string

const (
	KindConfirm    PromptKind = "confirm"
	KindText       PromptKind = "text"
	KindSecret     PromptKind = "secret"
	KindPager      PromptKind = "pager"
	KindREPL       PromptKind = "repl"
	KindShell      PromptKind = "shell"
	KindFullscreen PromptKind = "fullscreen"
	KindIncomplete PromptKind = "incomplete" // a continuation prompt
	KindUnknown    PromptKind = "unknown"
)

// Evidence says how a prompt was recognised, strongest first.
type Evidence string

const (
	EvidenceTTY    Evidence = "tty"    // the line discipline
	EvidenceText   Evidence = "text"   // the wording of the last line
	EvidenceKernel Evidence = "kernel" // a process asleep in a read of its terminal
	EvidenceQuiet  Evidence = "quiet"  // silence in mid-line
)

// Groups of [Command], and the origins of a [HistoryRow].
const (
	GroupAgent = "agent"
	GroupHuman = "human"
	ByRun      = "run"
	ByHuman    = "human"
)

func terminalStatuses() []Status {
	return []Status{StatusIdle, StatusRunning, StatusAwaitingInput, StatusDead, StatusUnknown}
}

func statuses() []Status {
	return append(terminalStatuses(),
		StatusCreated, StatusDone, StatusSent, StatusNoted, StatusKilled, StatusPruned,
		StatusInstalled, StatusDryRun, StatusOK, StatusIssues,
		StatusPatternFound, StatusHumanDone, StatusTimeout, StatusError)
}

func modes() []Mode { return []Mode{ModeHooks, ModeSentinel} }

func codes() []Code {
	return []Code{CodeNoTerminal, CodeExists, CodeBusy, CodeDead, CodeBadArgs, CodeTmux, CodeInternal, CodeTooLarge}
}

func kinds() []PromptKind {
	return []PromptKind{KindConfirm, KindText, KindSecret, KindPager, KindREPL, KindShell,
		KindFullscreen, KindIncomplete, KindUnknown}
}

func evidences() []Evidence {
	return []Evidence{EvidenceTTY, EvidenceText, EvidenceKernel, EvidenceQuiet}
}

func known[T comparable](v T, all []T) bool { return slices.Contains(all, v) }
