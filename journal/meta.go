package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// Format is the version of the journal format that this package writes. It
// reads this and every earlier one.
const Format = 1

// ErrNewerFormat says that a journal was made by a newer pairmux. Nothing in it
// may be taken for granted but meta.json's format field.
var ErrNewerFormat = errors.New("journal of a newer format")

// Meta is the content of meta.json: what the terminal is (J10).
type Meta struct {
	Format      int // 0 in journals from before versions were written
	Name        string
	PaneID      string // tmux's %N
	TTY         string
	Shell       string
	Mode        string // hooks or sentinel
	Socket      string // the label after tmux -L
	CreatedAt   time.Time
	Endpoint    string // Endpoint.Path of the server
	TmuxTmpdir  string
	ServerPID   int
	Cmd         string // program terminals: what runs
	Cwd         string
	Size        string // COLSxROWS
	Base        int64  // absolute offset of raw.log's first byte; SetMeta leaves it alone
	Nonce       string // the secret that marks of this terminal carry
	PanePID     int    // the launcher
	PaneStart   uint64 // its start time in clock ticks since boot
	ServerStart uint64 // the same of the tmux server
	Kind        string // shell or program
	MaxJournal  int64  // bytes of raw.log above which Pump rotates; 0 never

	// Extra holds the fields that this version does not know; a rewrite keeps them.
	Extra map[string]json.RawMessage

	next rotation // a rotation whose last step may be missing
}

// rotation is written before raw.log is replaced: if raw.log has this inode,
// the replacement happened and base counts; if not, it did not.
type rotation struct {
	base int64
	ino  uint64
}

func (m *Meta) fields() []field {
	return []field{
		{"format", &m.Format}, {"name", &m.Name}, {"pane_id", &m.PaneID}, {"tty", &m.TTY},
		{"shell", &m.Shell}, {"mode", &m.Mode}, {"socket", &m.Socket}, {"created_at", &m.CreatedAt},
		{"endpoint", &m.Endpoint}, {"tmux_tmpdir", &m.TmuxTmpdir}, {"server_pid", &m.ServerPID},
		{"cmd", &m.Cmd}, {"cwd", &m.Cwd}, {"size", &m.Size}, {"base", &m.Base}, {"nonce", &m.Nonce},
		{"pane_pid", &m.PanePID}, {"pane_start", &m.PaneStart}, {"server_start", &m.ServerStart},
		{"kind", &m.Kind}, {"max_journal", &m.MaxJournal},
		{"next_base", &m.next.base}, {"next_ino", &m.next.ino},
	}
}

// MarshalJSON writes the content of meta.json on one line.
func (m Meta) MarshalJSON() ([]byte, error) {
	return appendObject(nil, m.fields(), m.Extra), nil
}

// UnmarshalJSON reads the content of meta.json. Of a newer format it reads the
// number alone, since everything else may have changed.
func (m *Meta) UnmarshalJSON(b []byte) (err error) {
	var out Meta
	if out.Extra, err = decodeObject(b, out.fields()); err != nil {
		var newer Meta
		if _, e := decodeObject(b, newer.fields()[:1]); e != nil || newer.Format <= Format {
			return err
		}
		out = newer
	}
	*m = out
	return nil
}

// SetMeta replaces meta.json atomically. See [Journal.UpdateMeta]; unlike it,
// SetMeta undoes what others changed since m was read.
func (j *Journal) SetMeta(m Meta) error {
	return j.UpdateMeta(func(now *Meta) { *now = m })
}

// UpdateMeta lets change alter what meta.json says now, and replaces the file
// atomically. Base is left as it is, because only the pump moves it, and fields
// that this version does not know are kept. Writers exclude each other by an
// flock on meta.lock, held for microseconds; UpdateMeta waits at most two
// seconds for it. The error wraps [ErrNewerFormat] if meta.json is of a newer
// format.
func (j *Journal) UpdateMeta(change func(*Meta)) error {
	unlock, err := j.lockMeta(metaWait)
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Join(j.dir, metaName), err)
	}
	defer unlock()
	disk, err := j.readMeta()
	if err == nil && disk.Format > Format {
		return fmt.Errorf("%s: format %d: %w", j.dir, disk.Format, ErrNewerFormat)
	}
	if err != nil { // missing or garbage: begin anew, with the base that the index knows
		disk = j.Meta()
	}
	m := disk
	m.Extra = maps.Clone(disk.Extra)
	change(&m)
	m.Base, m.next = disk.Base, disk.next
	if disk.Extra != nil {
		extra := maps.Clone(disk.Extra)
		maps.Copy(extra, m.Extra)
		m.Extra = extra
	}
	return j.writeMeta(m)
}

// metaWait is long enough for any writer that is not stopped.
var metaWait = 2 * time.Second

// writeMeta wants meta.lock to be held.
func (j *Journal) writeMeta(m Meta) error {
	if m.Format == 0 {
		m.Format = Format
	}
	const temp = metaName + ".tmp"
	f, err := j.openAt(temp, unix.O_WRONLY|unix.O_CREAT|unix.O_TRUNC)
	if err != nil {
		return err
	}
	_, err = f.Write(append(appendObject(nil, m.fields(), m.Extra), '\n'))
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = unix.Renameat(j.dirFd(), temp, j.dirFd(), metaName)
	}
	if err != nil {
		_ = unix.Unlinkat(j.dirFd(), temp, 0)
		return &os.PathError{Op: "write", Path: filepath.Join(j.dir, metaName), Err: err}
	}
	j.mu.Lock()
	j.meta = m
	j.mu.Unlock()
	return nil
}

func (j *Journal) readMeta() (Meta, error) {
	f, err := j.openAt(metaName, unix.O_RDONLY)
	if err != nil {
		return Meta{}, err
	}
	defer f.Close()
	return decodeMeta(f)
}

func decodeMeta(f *os.File) (m Meta, err error) {
	b := make([]byte, 4096)
	n := 0
	for {
		k, err := f.Read(b[n:])
		n += k
		if n < len(b) || err != nil { // a short read of a file is its end
			break
		}
		if n >= maxLine {
			return m, errors.New("too long")
		}
		b = append(b, make([]byte, n)...)
	}
	err = m.UnmarshalJSON(b[:n])
	return m, err
}

var errBusy = errors.New("locked by another process")

// lockMeta excludes other writers of meta.json. It gives up after wait, since
// the holder may be a stopped process.
func (j *Journal) lockMeta(wait time.Duration) (unlock func(), err error) {
	f, err := j.openAt(metaLockName, unix.O_RDWR|unix.O_CREAT)
	if err != nil {
		return nil, err
	}
	for end := time.Now().Add(wait); ; nap(time.Millisecond) {
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return func() { f.Close() }, nil
		}
		if err != unix.EWOULDBLOCK && err != unix.EINTR {
			break
		}
		if err = errBusy; time.Now().After(end) {
			break
		}
	}
	f.Close()
	return nil, err
}
