package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// PruneOptions says what [Prune] may remove.
type PruneOptions struct {
	Name      string        // only this terminal; "" all of the server's
	OlderThan time.Duration // only what saw no byte and no event for so long
	DryRun    bool          // report, remove nothing
	Now       time.Time     // zero: the time of the call

	// Dead tells whether the terminal's pane is gone. A live terminal's journal is
	// kept, its .prev is not. Required.
	Dead func(*Journal) (bool, error)
	// Lock, if set, reserves the name while it is looked at and removed. On an
	// error the terminal is kept, and the error named.
	Lock func(name string) (unlock func(), err error)
}

// Pruned reports on one directory that Prune looked at.
type Pruned struct {
	Name    string
	Dir     string
	Prev    bool          // the journal that the name had before
	Age     time.Duration // since the last byte or event, never negative
	Bytes   int64         // of its files
	Removed bool          // also true in a dry run that would remove it
	Err     error         // why it was kept though old enough: in use, or not removable
}

// ErrLive says that a journal was kept because its terminal lives.
var ErrLive = errors.New("terminal is live")

// Prune removes the journals of dead terminals, and the .prev directories of all,
// that are older than the options say; and what crashes left behind. A removed
// directory disappears by one rename. Each directory looked at is reported,
// sorted by name. If the named terminal is unknown the error wraps [ErrNotFound].
func Prune(root string, e Endpoint, o PruneOptions) ([]Pruned, error) {
	if o.Now.IsZero() {
		o.Now = now()
	}
	ns := Namespace(root, e)
	sweep(ns, o)
	names, err := pruneNames(root, ns, e, o.Name)
	if err != nil {
		return nil, err
	}
	var all []Pruned
	for _, name := range names {
		all = append(all, pruneName(root, ns, e, name, o)...)
	}
	return all, nil
}

// pruneNames lists the terminals, and the names of which only a .prev is left.
func pruneNames(root, ns string, e Endpoint, only string) ([]string, error) {
	names, err := Terminals(root, e)
	if err != nil {
		return nil, err
	}
	seen := make(map[string]bool)
	for _, name := range names {
		seen[name] = true
	}
	entries, err := readDir(ns)
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		if name, ok := strings.CutSuffix(entry.Name(), ".prev"); ok && entry.IsDir() && ValidName(name) {
			seen[name] = true
		}
	}
	if only == "" {
		return slices.Sorted(maps.Keys(seen)), nil
	}
	if !seen[only] {
		return nil, fmt.Errorf("terminal %q: %w", only, ErrNotFound)
	}
	return []string{only}, nil
}

func pruneName(root, ns string, e Endpoint, name string, o PruneOptions) []Pruned {
	var all []Pruned
	look := func(dir string, prev bool) {
		fi, err := os.Lstat(dir)
		if err != nil || !fi.IsDir() {
			return
		}
		p := Pruned{Name: name, Dir: dir, Prev: prev}
		p.Age, p.Bytes = measure(dir, o.Now)
		if p.Age >= o.OlderThan {
			p.Err = o.remove(&p)
		}
		all = append(all, p)
	}
	if o.Lock != nil {
		unlock, err := o.Lock(name)
		if err != nil {
			dir := filepath.Join(ns, name)
			p := Pruned{Name: name, Dir: dir, Err: err}
			p.Age, p.Bytes = measure(dir, o.Now)
			return []Pruned{p}
		}
		defer unlock()
	}
	dir := filepath.Join(ns, name)
	look(dir, false)
	look(dir+".prev", true)
	if old := filepath.Join(root, name); e.isDefault() && isHistoric(old) {
		look(old, false)
	}
	return all
}

func (o *PruneOptions) remove(p *Pruned) error {
	if !p.Prev {
		j, err := Open(p.Dir)
		if err != nil {
			return err
		}
		dead, err := o.Dead(j)
		j.Close()
		if err != nil {
			return err
		}
		if !dead {
			return ErrLive
		}
	}
	if !o.DryRun {
		trash, err := discard(p.Dir)
		if err == nil {
			err = os.RemoveAll(trash)
		}
		if err != nil {
			return err
		}
	}
	p.Removed = true
	return nil
}

// sweep removes what a crash left of Create, Retire and Prune. What is an hour
// old is nobody's work in progress.
func sweep(ns string, o PruneOptions) {
	entries, err := readDir(ns)
	if err != nil || o.DryRun {
		return
	}
	for _, entry := range entries {
		if fi, err := entry.Info(); err == nil && isLeftover(entry.Name()) && o.Now.Sub(fi.ModTime()) > time.Hour {
			_ = os.RemoveAll(filepath.Join(ns, entry.Name()))
		}
	}
}

// measure returns the time since the newest byte or event, and the size of all files.
func measure(dir string, now time.Time) (age time.Duration, bytes int64) {
	var newest time.Time
	_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		fi, err := entry.Info()
		if err != nil || !fi.Mode().IsRegular() {
			return nil
		}
		bytes += fi.Size()
		if name := entry.Name(); (name == rawName || name == indexName) && fi.ModTime().After(newest) {
			newest = fi.ModTime()
		}
		return nil
	})
	if newest.IsZero() {
		if fi, err := os.Stat(dir); err == nil {
			newest = fi.ModTime()
		}
	}
	return max(0, now.Sub(newest)), bytes // a clock that was set back
}
