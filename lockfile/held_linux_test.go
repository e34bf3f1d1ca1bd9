package lockfile

import (
	"os"
	"testing"
)

// Emptied behind the holder's back, or not yet written: the kernel knows.
func TestHolderWithoutContent(t *testing.T) {
	path := lockPath(t)
	unlock, err := TryLock(path, Holder{Verb: "v"})
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	if h, held := Held(path); !held || h != (Holder{PID: os.Getpid()}) {
		t.Errorf("%+v, %v", h, held)
	}
}

func TestFindLock(t *testing.T) {
	const list = `1: POSIX  ADVISORY  READ 11 fe:00:77 1073741826 1073742335
2: FLOCK  ADVISORY  WRITE 4071 fe:00:131122 0 EOF
2: -> FLOCK  ADVISORY  WRITE 4099 fe:00:131122 0 EOF
3: FLOCK  ADVISORY  WRITE 50 00:2f:131122 0 EOF
4: FLOCK  ADVISORY  WRITE 0 fe:00:88 0 EOF
5: OFDLCK ADVISORY  WRITE -1 fe:00:89 0 EOF
6: -> FLOCK  ADVISORY  WRITE 60 fe:00:90 0 EOF
garbage
7: FLOCK  ADVISORY  WRITE x fe:00:91 0 EOF
8: FLOCK  ADVISORY  WRITE 71 103:02:92 0 EOF
`
	for _, tc := range []struct {
		dev, ino uint64
		claimed  int
		want     int
	}{
		{0xfe00, 131122, 0, 4071},
		{0x2f, 131122, 0, 50},
		{0xfe00, 77, 0, 11},
		{0xfe00, 131123, 4071, 0},
		{0xfe01, 131122, 0, 0},       // another device
		{0xfe01, 131122, 4071, 4071}, // which the content explains
		{0xfe01, 131122, 4099, 0},    // a waiter
		{0xfe00, 88, 0, 0}, {0xfe00, 89, 0, 0}, {0xfe00, 90, 0, 0}, {0xfe00, 91, 0, 0},
		{0x10302, 92, 0, 71}, // device 259:2
	} {
		if got := findLock([]byte(list), tc.dev, tc.ino, tc.claimed); got != tc.want {
			t.Errorf("findLock(%#x, %d, %d) is %d, want %d", tc.dev, tc.ino, tc.claimed, got, tc.want)
		}
	}
}
