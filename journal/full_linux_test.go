package journal

import (
	"errors"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// The same as TestJ41J42FileSizeLimit on a file system that is full. Where none
// may be mounted, that test has shown what the pump does when writes fail.
func TestJ41J42DiskFull(t *testing.T) {
	mnt := t.TempDir()
	if err := unix.Mount("tmpfs", mnt, "tmpfs", 0, "size=128k,mode=700"); err != nil {
		if os.Getuid() == 0 && !errors.Is(err, unix.EPERM) {
			t.Fatal(err)
		}
		t.Logf("no tmpfs can be mounted here (%v)", err)
		return
	}
	t.Cleanup(func() {
		if err := unix.Unmount(mnt, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	j, err := Create(mnt+"/ns/build", Meta{Name: "build"})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if err := os.WriteFile(mnt+"/filler", make([]byte, 40<<10), 0o600); err != nil {
		t.Fatal(err)
	}
	pumpAll(t, j.Dir(), lossScript(j.Dir(), func() {
		// Not even an event can be written now, and a reader knows all the same.
		if err := j.Append(Event{Type: Note, Text: strings.Repeat("x", 8<<10)}); err == nil {
			t.Error("the disk should be full")
		}
		os.Remove(mnt + "/filler")
		if err := unix.Mount("", mnt, "", unix.MS_REMOUNT, "size=4m"); err != nil {
			t.Error(err)
		}
	}), PumpOptions{})
	var gaps, bad int
	for e, err := range j.Events() {
		if err != nil {
			bad++ // the torn line of the note
		} else if e.Type == Gap {
			gaps++
		}
	}
	if gaps != 1 || bad > 1 {
		t.Errorf("%d gap events, %d bad lines", gaps, bad)
	}
	checkNumbered(t, j, 200_000)
}
