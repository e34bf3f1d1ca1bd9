package journal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// ErrExists says that there already is a journal in a directory. [Retire] moves
// it aside.
var ErrExists = errors.New("journal exists")

func now() time.Time { return time.Now() }

// Names in a namespace that are no terminals: directories that are being made
// or thrown away. A crash may leave them; [Prune] removes them.
const (
	makingPrefix = ".making-"
	trashPrefix  = ".trash-"
)

// Create makes the journal of a new terminal in dir, with its parents, and
// opens it. The directory appears complete or not at all (J12): raw.log, meta.json and an
// index whose first event is [Created]. Directories get mode 0700, files 0600.
//
// m.Base is where the offsets begin: the end of the journal that the name had
// before, so that an old cursor is never mistaken. It is raised to the end of
// dir.prev if that is higher. Format and CreatedAt are filled in when zero. If
// dir is there and not empty the error wraps [ErrExists].
func Create(dir string, m Meta) (*Journal, error) {
	dir = filepath.Clean(dir)
	if m.Format == 0 {
		m.Format = Format
	}
	if m.CreatedAt.IsZero() {
		m.CreatedAt = now()
	}
	if old, err := open(dir + ".prev"); err == nil {
		m.Base = max(m.Base, old.lastOffset())
		old.Close()
	}
	parent := filepath.Dir(dir)
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return nil, err
	}
	temp, err := os.MkdirTemp(parent, makingPrefix+filepath.Base(dir)+"-")
	if err != nil {
		return nil, err
	}
	if err = fill(temp, m); err == nil {
		step("filled")
		err = rename(temp, dir)
		if errors.Is(err, unix.ENOTEMPTY) || errors.Is(err, unix.EEXIST) || errors.Is(err, unix.ENOTDIR) {
			err = fmt.Errorf("%s: %w", dir, ErrExists)
		}
	}
	if err != nil {
		_ = os.RemoveAll(temp)
		return nil, err
	}
	return Open(dir)
}

func fill(temp string, m Meta) error {
	for _, file := range []struct {
		name string
		text []byte
	}{
		{rawName, nil},
		{writerName, padState(nil)}, // the room that the pump will need on a full disk
		{metaLockName, nil},
	} {
		f, err := os.OpenFile(filepath.Join(temp, file.name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return err
		}
		_, err = f.Write(file.text)
		if cerr := f.Close(); err == nil {
			err = cerr
		}
		if err != nil {
			return err
		}
	}
	j, err := open(temp)
	if err != nil {
		return err
	}
	defer j.Close()
	if err := j.Append(Event{TS: m.CreatedAt, Type: Created, Offset: m.Base}); err != nil {
		return err
	}
	return j.writeMeta(m)
}

// lastOffset returns the largest absolute offset that the journal ever named,
// also when raw.log or meta.json is gone.
func (j *Journal) lastOffset() int64 {
	end, _ := j.Size()
	for e := range j.Backward() {
		end = max(end, e.Offset)
	}
	return end
}

// Retire moves a dead terminal's journal from dir to dir.prev, so that the name
// can be used again; an older dir.prev is removed. Each step is one rename: a
// crash leaves dir, or dir.prev, whole, and Retire can be called again. It takes
// no lock: the caller owns the name. Without dir the error wraps [ErrNotFound].
func Retire(dir string) error {
	dir = filepath.Clean(dir)
	if _, err := os.Lstat(dir); err != nil {
		if isNotExist(err) {
			err = ErrNotFound
		}
		return fmt.Errorf("%s: %w", dir, err)
	}
	trash, err := discard(dir + ".prev")
	if err != nil {
		return err
	}
	step("discarded")
	if err := rename(dir, dir+".prev"); err != nil {
		return err
	}
	step("moved")
	return os.RemoveAll(trash)
}

// discard moves dir out of sight and returns where it is now, "" if there was no dir.
func discard(dir string) (trash string, err error) {
	trash, err = os.MkdirTemp(filepath.Dir(dir), trashPrefix+filepath.Base(dir)+"-")
	if err != nil {
		return "", err
	}
	if err = rename(dir, trash); err == nil {
		return trash, nil
	}
	_ = os.Remove(trash)
	if isNotExist(err) {
		return "", nil
	}
	return "", err
}

// rename, unlike os.Rename, may replace an empty directory.
func rename(from, to string) error {
	if err := unix.Rename(from, to); err != nil {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
	}
	return nil
}

func isLeftover(name string) bool {
	return strings.HasPrefix(name, makingPrefix) || strings.HasPrefix(name, trashPrefix)
}
