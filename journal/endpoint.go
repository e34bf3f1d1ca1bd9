package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

// ErrNotFound says that there is no such terminal, or no journal in a directory.
var ErrNotFound = errors.New("no such terminal")

// DefaultSocket is the socket label whose terminals may also live in the
// historic place, directly under the state root (J5).
const DefaultSocket = "pairmux"

// An Endpoint names one tmux server: the place of its socket.
type Endpoint struct {
	TmuxTmpdir string // TMUX_TMPDIR; "" means /tmp
	UID        int    // the user that runs the server
	Socket     string // the label after tmux -L
}

// Path returns the socket's canonical path, "realpath(TmuxTmpdir)/tmux-UID/SOCKET" (J3).
// A directory that does not exist stands for /tmp, as it does for tmux itself.
func (e Endpoint) Path() string {
	return filepath.Join(e.tmpdir(), "tmux-"+strconv.Itoa(e.UID), e.Socket)
}

func (e Endpoint) tmpdir() string {
	for _, dir := range []string{e.TmuxTmpdir, "/tmp"} {
		if dir == "" {
			continue
		}
		abs, err := filepath.Abs(dir)
		if err != nil {
			continue
		}
		if real, err := filepath.EvalSymlinks(abs); err == nil {
			return real
		}
	}
	return "/tmp"
}

func (e Endpoint) isDefault() bool {
	return e.Socket == DefaultSocket && e.tmpdir() == Endpoint{}.tmpdir()
}

// Namespace returns the directory under the state root that holds the
// terminals of one server (J4). It need not exist.
func Namespace(root string, e Endpoint) string {
	return namespaceOf(root, e.Path())
}

func namespaceOf(root, endpoint string) string {
	sum := sha256.Sum256([]byte(endpoint))
	return filepath.Join(root, ".sockets", hex.EncodeToString(sum[:]))
}

// Namespaces returns the directories under the state root that hold terminals
// of some server, sorted. The meta.json of a terminal in it names the server.
func Namespaces(root string) ([]string, error) {
	entries, err := readDir(filepath.Join(root, ".sockets"))
	if err != nil {
		return nil, err
	}
	var dirs []string
	for _, e := range entries {
		if e.IsDir() && len(e.Name()) == 2*sha256.Size {
			dirs = append(dirs, filepath.Join(root, ".sockets", e.Name()))
		}
	}
	return dirs, nil
}

// Terminals returns the sorted names of the terminals that have a journal for
// this server. What is not a journal is ignored (J6). The historic place counts
// for the default endpoint only.
func Terminals(root string, e Endpoint) ([]string, error) {
	names, err := TerminalsIn(Namespace(root, e))
	if err != nil || !e.isDefault() {
		return names, err
	}
	entries, err := readDir(root)
	if err != nil {
		return names, err
	}
	for _, entry := range entries {
		if name := entry.Name(); entry.IsDir() && ValidName(name) && isHistoric(filepath.Join(root, name)) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// TerminalsIn returns the sorted names of the terminals in one directory of
// [Namespaces]. A directory that does not exist holds none.
func TerminalsIn(namespace string) ([]string, error) {
	entries, err := readDir(namespace)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, entry := range entries {
		if name := entry.Name(); entry.IsDir() && ValidName(name) && isJournal(filepath.Join(namespace, name)) {
			names = append(names, name)
		}
	}
	return names, nil
}

// Find opens the journal of the terminal called name on this server. The error
// is [ErrNotFound], or one of [Open].
func Find(root string, e Endpoint, name string) (*Journal, error) {
	if !ValidName(name) {
		return nil, fmt.Errorf("terminal %q: %w", name, ErrNotFound)
	}
	j, err := Open(filepath.Join(Namespace(root, e), name))
	if !errors.Is(err, ErrNotFound) {
		return j, err
	}
	if old := filepath.Join(root, name); e.isDefault() && isHistoric(old) {
		return Open(old)
	}
	return nil, fmt.Errorf("terminal %q: %w", name, ErrNotFound)
}

// ValidName reports whether name may be a terminal's: ^[a-z0-9][a-z0-9_-]{0,31}$.
func ValidName(name string) bool {
	if len(name) == 0 || len(name) > 32 {
		return false
	}
	for i := range len(name) {
		c := name[i]
		word := c >= 'a' && c <= 'z' || c >= '0' && c <= '9'
		if !word && (i == 0 || c != '_' && c != '-') {
			return false
		}
	}
	return true
}

func readDir(dir string) ([]os.DirEntry, error) {
	entries, err := os.ReadDir(dir)
	if isNotExist(err) {
		return nil, nil
	}
	return entries, err
}

func isJournal(dir string) bool {
	for _, name := range []string{metaName, rawName, indexName} {
		if fi, err := os.Lstat(filepath.Join(dir, name)); err == nil && fi.Mode().IsRegular() {
			return true
		}
	}
	return false
}

// isHistoric wants more proof than isJournal: anything at all may lie in the
// state root, and an old journal of another socket cannot be told from one of
// another server's.
func isHistoric(dir string) bool {
	b, err := os.ReadFile(filepath.Join(dir, metaName))
	if err != nil {
		return false
	}
	var m Meta
	if m.UnmarshalJSON(b) != nil {
		return false
	}
	return m.Name == filepath.Base(dir) && (m.Socket == "" || m.Socket == DefaultSocket)
}
