package tmuxio

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestCheckVersion(t *testing.T) {
	for _, tc := range []struct {
		v      string
		ok     bool
		tooOld bool
	}{
		{"3.2", true, false}, {"3.2a", true, false}, {"3.3-rc", true, false}, {"3.3a", true, false}, {"3.10", true, false}, {"4.0", true, false},
		{"next-3.4", true, false}, {"next-3.2", true, false}, {"next-3.1", false, true},
		{"openbsd-7.1", true, false}, {"openbsd-6.9", true, false}, {"openbsd-6.8", false, true},
		{"master", true, false}, {"3.1c", false, true}, {"2.9a", false, true}, {"1.8", false, true}, {"0.9", false, true},
		{"", false, false}, {"abc", false, false}, {"3", false, false}, {"next-", false, false},
	} {
		err := CheckVersion(tc.v)
		if (err == nil) != tc.ok || errors.Is(err, ErrTooOld) != tc.tooOld {
			t.Errorf("%q: %v", tc.v, err)
		}
	}
}

func TestVersionAsksTheBinary(t *testing.T) {
	v, err := Version(context.Background(), "")
	if err != nil || v == "" {
		t.Errorf("installed tmux: %q, %v", v, err)
	}
	fake := filepath.Join(t.TempDir(), "tmux")
	for _, tc := range []struct {
		script, want string
		err          error
	}{
		{"echo tmux 3.1c", "3.1c", ErrTooOld},
		{"echo tmux next-3.4", "next-3.4", nil},
		{"echo tmux openbsd-7.1", "openbsd-7.1", nil},
	} {
		if err := os.WriteFile(fake, []byte("#!/bin/sh\n"+tc.script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		if v, err := Version(context.Background(), fake); v != tc.want || !errors.Is(err, tc.err) {
			t.Errorf("%s: %q, %v", tc.script, v, err)
		}
	}
	_, err = Version(context.Background(), filepath.Join(t.TempDir(), "none"))
	wantErr(t, err, ErrNoTmux)
	t.Setenv("PATH", t.TempDir())
	_, err = Version(context.Background(), "")
	wantErr(t, err, ErrNoTmux)
}
