package lockfile

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
)

// lockedBy asks the kernel's list of locks for the file: the holder's pid, or
// 0 when nobody holds it. claimed is the pid that the content names. ok is
// false where there is no such list.
func lockedBy(f *os.File, claimed int) (pid int, ok bool) {
	list, err := os.ReadFile("/proc/locks")
	if err != nil {
		return 0, false
	}
	info, err := f.Stat()
	if err != nil {
		return 0, false
	}
	st, isStat := info.Sys().(*syscall.Stat_t)
	if !isStat {
		return 0, false
	}
	return findLock(list, uint64(st.Dev), st.Ino, claimed), true
}

// findLock looks for a granted lock on (dev, ino) in the format of
// proc_locks(5):
//
//	1: FLOCK  ADVISORY  WRITE 4071 fe:00:131122 0 EOF
//	1: -> FLOCK  ADVISORY  WRITE 4099 fe:00:131122 0 EOF   (a waiter)
//
// Some file systems (btrfs, overlayfs) show another device here than stat(2)
// does, so a line that differs in the device alone counts if it names the pid
// that the content claims.
func findLock(list []byte, dev, ino uint64, claimed int) int {
	weak := 0
	for line := range bytes.Lines(list) {
		w := bytes.Fields(line)
		if len(w) < 6 || string(w[1]) == "->" {
			continue
		}
		id := bytes.Split(w[5], []byte{':'})
		if len(id) != 3 {
			continue
		}
		if n, err := strconv.ParseUint(string(id[2]), 10, 64); err != nil || n != ino {
			continue
		}
		pid, err := strconv.Atoi(string(w[4]))
		if err != nil || pid <= 0 {
			continue
		}
		major, errMajor := strconv.ParseUint(string(id[0]), 16, 32)
		minor, errMinor := strconv.ParseUint(string(id[1]), 16, 32)
		if errMajor == nil && errMinor == nil && major == devMajor(dev) && minor == devMinor(dev) {
			return pid
		}
		if pid == claimed {
			weak = pid
		}
	}
	return weak
}

// devMajor and devMinor take a dev_t apart as gnu_dev_major(3) does.
func devMajor(dev uint64) uint64 { return dev>>8&0xfff | dev>>32&^0xfff }
func devMinor(dev uint64) uint64 { return dev&0xff | dev>>12&^0xff }
