package main

import (
	"os"
	"os/exec"
	"time"
)

// hookedShells are the shells whose run has a figure to keep.
var hookedShells = []string{"bash", "zsh", "fish"}

// calls measures whole commands of the binary against one bare tmux call, in
// each shell with hooks.
func calls(b *bench) ([]row, error) {
	var rows []row
	for _, sh := range hookedShells {
		more, err := callsIn(b, sh)
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

func callsIn(b *bench, shell string) ([]row, error) {
	w, err := b.world()
	if err != nil {
		return nil, err
	}
	if shell == "fish" {
		// fish's own prompt asks git for 10 ms, and a run waits for the prompt.
		if err := w.config(".config/fish/config.fish", "function fish_prompt; echo -n '> '; end\n"); err != nil {
			return nil, err
		}
	}
	if _, _, err := w.pairmux("created", "new", "calls", "--shell", shell); err != nil {
		return nil, err
	}
	defer func() { _, _, _ = w.pairmux("killed", "kill", "calls") }()
	var call, runTrue, runSeq, sleep series
	for i := range b.rounds + warmup {
		c, err := w.display()
		if err != nil {
			return nil, err
		}
		t, _, err := w.pairmux("done", "run", "calls", "true")
		if err != nil {
			return nil, err
		}
		s, _, err := w.pairmux("done", "run", "calls", "seq 1 2000")
		if err != nil {
			return nil, err
		}
		if i >= warmup {
			call, runTrue, runSeq = append(call, c), append(runTrue, t), append(runSeq, s)
		}
	}
	for range max(b.rounds/10, 8) {
		_, r, err := w.pairmux("done", "run", "calls", "sleep 0.25")
		if err != nil {
			return nil, err
		}
		if r.Duration != nil {
			sleep = append(sleep, time.Duration(*r.Duration)*time.Millisecond)
		}
	}
	p95 := row{What: "  its p95 over the call's p50", Value: ratio(runTrue.p95(), call.p50()), As: "x"}
	slept := measured(shell+": duration_ms of sleep 0.25", sleep)
	slept.Value, slept.As = ms(sleep.percentile(100)), "ms at most"
	return []row{
		measured("one bare tmux display-message", call),
		compared(shell+": run T true, over the call", runTrue, call.p50()).must(atMost, 3.0),
		p95.must(atMost, 4.5),
		compared(shell+": run T 'seq 1 2000', over the call", runSeq, call.p50()),
		slept.must(atMost, 265),
	}, nil
}

// startup measures the smallest command against the smallest process.
func startup(b *bench) ([]row, error) {
	w, err := b.world()
	if err != nil {
		return nil, err
	}
	nothing, err := exec.LookPath("true")
	if err != nil {
		return nil, err
	}
	var base, version series
	for i := range b.rounds + warmup {
		t, _, err := w.call(nothing)
		if err != nil {
			return nil, err
		}
		v, _, err := w.call(b.bin, "version")
		if err != nil {
			return nil, err
		}
		if i >= warmup {
			base, version = append(base, t), append(version, v)
		}
	}
	r := measured("version", version)
	r.Value, r.As = ms(version.p50()), "ms"
	r = r.must(atMost, 3*ms(base.p50())+5)
	r.Target += " (3 x true + 5)"
	info, err := os.Stat(b.bin)
	if err != nil {
		return nil, err
	}
	size := row{What: "the binary", Value: float64(info.Size()) / 1e6, As: "MB"}
	return []row{measured(nothing, base), r, size.must(atMost, 12)}, nil
}
