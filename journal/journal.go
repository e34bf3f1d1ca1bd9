package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sys/unix"
)

// The files of a journal (J2).
const (
	rawName      = "raw.log"
	indexName    = "index.jsonl"
	metaName     = "meta.json"
	metaLockName = "meta.lock"
	writerName   = "writer.lock"
)

// A Journal is an open journal directory. It follows the directory, not the
// name: when the terminal's name is used again and the directory moves to
// NAME.prev, the Journal goes on reading what it read before.
//
// All methods may be called concurrently. None of them blocks but for the disk,
// except where the documentation says so.
type Journal struct {
	dir  string
	root *os.File // the directory itself

	mu       sync.Mutex
	meta     Meta
	raw      *rawFile // nil while there is no raw.log
	rawErr   error
	warnings []string
}

// Open opens the journal in dir for reading and appending. A missing or
// unreadable meta.json or raw.log is no error: [Journal.Warnings] tells. The
// error wraps [ErrNotFound] when dir holds no journal at all, and
// [ErrNewerFormat] when a newer pairmux made it.
func Open(dir string) (*Journal, error) {
	j, err := open(dir)
	if err != nil {
		return nil, err
	}
	if j.meta.Format > Format {
		j.Close()
		return nil, fmt.Errorf("%s: format %d: %w", dir, j.meta.Format, ErrNewerFormat)
	}
	return j, nil
}

func open(dir string) (*Journal, error) {
	dir = filepath.Clean(dir)
	fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		if err == unix.ENOENT || err == unix.ENOTDIR {
			err = ErrNotFound
		}
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	j := &Journal{dir: dir, root: os.NewFile(uintptr(fd), dir)}
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.load(); err != nil {
		j.root.Close()
		return nil, err
	}
	return j, nil
}

// Close releases the files. Sections that were taken stay readable.
func (j *Journal) Close() error { return j.root.Close() }

// Dir returns the directory's path as it was given to Open, without a final slash.
func (j *Journal) Dir() string { return j.dir }

// Meta returns meta.json as it was last read: by Open, Reload, SetMeta, or when
// raw.log turned out to be replaced. Without a readable meta.json only Name and
// Base are set.
func (j *Journal) Meta() Meta {
	j.mu.Lock()
	defer j.mu.Unlock()
	m := j.meta
	m.Base = j.base()
	return m
}

// Reload reads meta.json again, and opens raw.log anew if it was replaced.
func (j *Journal) Reload() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.load()
}

// Warnings returns what is wrong with the directory, a sentence each, nil when
// nothing is: a missing or unreadable meta.json, a missing raw.log.
func (j *Journal) Warnings() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.warnings)
}

// Retired reports whether the directory no longer stands under its path: its
// name was used again, or it was pruned. Whoever follows it should stop.
func (j *Journal) Retired() bool {
	var now, own unix.Stat_t
	switch unix.Stat(j.dir, &now) {
	case nil:
	case unix.ENOENT, unix.ENOTDIR:
		return true
	default:
		return false
	}
	return unix.Fstat(j.dirFd(), &own) == nil && !sameFile(&now, &own)
}

// load reads meta.json and opens raw.log as one consistent pair, with j.mu held.
//
// The pump replaces raw.log in the order meta.json (announced), raw.log,
// meta.json (settled). So the pair fits when meta.json is the same file before
// and after raw.log was opened; it is kept open meanwhile, so that its inode
// cannot come back. See J33.
func (j *Journal) load() error {
	var meta Meta
	var metaErr error
	var raw *os.File
	var st unix.Stat_t
	for try := 0; ; try++ {
		mf, err := j.openAt(metaName, unix.O_RDONLY)
		if metaErr = err; err == nil {
			meta, metaErr = decodeMeta(mf)
		}
		var rawErr error
		raw, rawErr = j.openAt(rawName, unix.O_RDONLY)
		if rawErr == nil {
			if rawErr = unix.Fstat(int(raw.Fd()), &st); rawErr != nil {
				raw.Close()
				raw = nil
			}
		}
		if rawErr != nil && !isNotExist(rawErr) && !errors.Is(rawErr, fs.ErrPermission) {
			if mf != nil {
				mf.Close()
			}
			return rawErr
		}
		j.rawErr = rawErr
		fits := mf == nil || j.still(mf, metaName)
		if mf != nil {
			mf.Close()
		}
		if fits || try == 100 {
			break
		}
		if raw != nil {
			raw.Close()
		}
	}

	var warnings []string
	if metaErr != nil {
		if isNotExist(metaErr) {
			if raw == nil && j.statAt(indexName, &unix.Stat_t{}) != nil {
				return fmt.Errorf("%s: %w", j.dir, ErrNotFound)
			}
			warnings = append(warnings, metaName+" is missing")
		} else {
			warnings = append(warnings, metaName+" is unreadable")
		}
		meta = Meta{Name: filepath.Base(j.dir), Base: j.lastBase()}
	}
	switch {
	case raw != nil:
		base := meta.Base
		if meta.next.ino != 0 && meta.next.ino == st.Ino {
			base = meta.next.base
		}
		if old := j.raw; old != nil && sameFile(&old.st, &st) && old.base == base {
			raw.Close()
		} else {
			j.raw = &rawFile{f: raw, base: base, st: st}
		}
		meta.Base = base
	case isNotExist(j.rawErr):
		warnings = append(warnings, rawName+" is missing: the output so far is lost")
	default:
		warnings = append(warnings, rawName+" cannot be read: "+j.rawErr.Error())
	}
	j.meta, j.warnings = meta, warnings
	return nil
}

// lastBase finds raw.log's base without meta.json: every move of it is an event (J32).
func (j *Journal) lastBase() int64 {
	for e := range j.Backward() {
		if e.Type == Rotated || e.Type == Created {
			return e.Offset
		}
	}
	return 0
}

func (j *Journal) dirFd() int { return int(j.root.Fd()) }

// openAt opens a file of the directory, wherever the directory is by now.
func (j *Journal) openAt(name string, flags int) (*os.File, error) {
	for {
		fd, err := unix.Openat(j.dirFd(), name, flags|unix.O_CLOEXEC, 0o600)
		runtime.KeepAlive(j)
		if err == unix.EINTR {
			continue
		}
		path := filepath.Join(j.dir, name)
		if err != nil {
			return nil, &os.PathError{Op: "open", Path: path, Err: err}
		}
		// NewFile, unlike OpenFile, leaves the runtime's poller alone.
		return os.NewFile(uintptr(fd), path), nil
	}
}

func (j *Journal) statAt(name string, st *unix.Stat_t) error {
	err := unix.Fstatat(j.dirFd(), name, st, 0)
	runtime.KeepAlive(j)
	return err
}

// still reports whether name is the file that f has open.
func (j *Journal) still(f *os.File, name string) bool {
	var now, own unix.Stat_t
	return j.statAt(name, &now) == nil && unix.Fstat(int(f.Fd()), &own) == nil && sameFile(&now, &own)
}

func isNotExist(err error) bool { return errors.Is(err, fs.ErrNotExist) }

func sameFile(a, b *unix.Stat_t) bool { return a.Ino == b.Ino && a.Dev == b.Dev }
