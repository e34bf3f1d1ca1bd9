package journal

import (
	"fmt"
	"testing"
)

// busyJournal returns a journal as a terminal has it after some hundred runs.
func busyJournal(tb testing.TB) *Journal {
	j, err := Create(tb.TempDir()+"/t", Meta{
		Name: "t", PaneID: "%1", TTY: "/dev/pts/3", Shell: "/bin/bash", Mode: "hooks", Socket: "pairmux",
		Endpoint: "/tmp/tmux-0/pairmux", ServerPID: 100, Cwd: "/root", Size: "200x50", Nonce: "abcdef",
		PanePID: 101, PaneStart: 1212, ServerStart: 999, Kind: "shell",
	})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { j.Close() })
	zero := int64(0)
	for i := range int64(500) {
		for _, e := range []Event{
			{Type: CmdStart, CmdID: i + 1, Offset: i * 100, Text: fmt.Sprintf("make -C sub%d test && echo done", i)},
			{Type: CmdEnd, CmdID: i + 1, Offset: i*100 + 90, Start: i*100 + 10, ExitCode: &zero, DurationMS: &zero},
		} {
			if err := j.Append(e); err != nil {
				tb.Fatal(err)
			}
		}
	}
	return j
}

// BenchmarkHotPath is what each verb does first: the figure is under 300 µs cold.
func BenchmarkHotPath(b *testing.B) {
	dir := busyJournal(b).Dir()
	buf := make([]byte, 16<<10)
	b.ReportAllocs()
	for b.Loop() {
		j, err := Open(dir)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := j.NextCmdID(); err != nil {
			b.Fatal(err)
		}
		end, _ := j.Size()
		_, _ = j.ReadAt(buf, max(0, end-int64(len(buf))))
		j.Close()
	}
}

func BenchmarkNextCmdID(b *testing.B) {
	j := busyJournal(b)
	b.ReportAllocs()
	for b.Loop() {
		_, _ = j.NextCmdID()
	}
}

func BenchmarkAppend(b *testing.B) {
	j := busyJournal(b)
	for b.Loop() {
		_ = j.Append(Event{Type: CmdStart, CmdID: 1, Offset: 1, Text: "true"})
	}
}

func BenchmarkGaps(b *testing.B) {
	j := busyJournal(b)
	for b.Loop() {
		_, _ = j.Gaps(0)
	}
}

func BenchmarkFollowerNow(b *testing.B) {
	f := busyJournal(b).Follow()
	for b.Loop() {
		f.Now()
	}
}
