package skillpack

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Action is what became of one target.
type Action string

const (
	Written    Action = "written"     // the skill was put there, or replaced an older one
	Unchanged  Action = "unchanged"   // it was there already
	Skipped    Action = "skipped"     // see Why
	WouldWrite Action = "would write" // a dry run would have written
)

// Result is what became of one target.
type Result struct {
	Target string
	Path   string // the skill's directory
	Action Action
	Why    string // why it was skipped
}

// Options say what to install where.
type Options struct {
	Home   string // the user's home directory, absolute
	Target string // a target's name, All, or empty for All
	DryRun bool   // look, report, write nothing
	// Env looks up environment variables; nil means os.Getenv.
	Env func(string) string
}

var (
	// ErrTarget is wrapped by the error for a target that is not known.
	ErrTarget = errors.New("unknown target")
	// ErrHome is returned when Home is not an absolute path.
	ErrHome = errors.New("home directory must be an absolute path")
)

// Install puts the skill into the directory of one target, or of all targets whose
// agent's directory exists. A named target is created with its parents.
//
// Each file is complete or not there at any moment: it is written beside its place
// and renamed. SKILL.md comes last, so that no agent finds a skill whose references
// are still missing. Files of the directory that are not the skill's are kept, and a
// file that is already right is not touched. Symbolic links to directories are
// followed; a file that is a link is replaced by a file.
//
// The results name every target that was looked at, also when there is an error. With
// All, a directory that cannot be written is a Skipped result and the others go on;
// with a named target it is an error as well. Errors wrap [ErrTarget], [ErrHome] or
// the *fs.PathError. Two installations at the same time do no harm.
func Install(o Options) ([]Result, error) {
	if !filepath.IsAbs(o.Home) {
		return nil, fmt.Errorf("%w: %q", ErrHome, o.Home)
	}
	if o.Env == nil {
		o.Env = os.Getenv
	}
	all := o.Target == "" || o.Target == All
	var results []Result
	for _, t := range Targets() {
		if !all && t.Name != o.Target {
			continue
		}
		r := Result{Target: t.Name, Path: t.Dir(o.Home, o.Env)}
		agent := t.Agent(o.Home, o.Env)
		if info, err := os.Stat(agent); all && (err != nil || !info.IsDir()) {
			r.Action, r.Why = Skipped, "no directory "+agent
			results = append(results, r)
			continue
		}
		action, err := put(r.Path, o.DryRun)
		if r.Action = action; err != nil {
			r.Action, r.Why = Skipped, err.Error()
		}
		results = append(results, r)
		if err != nil && !all {
			return results, fmt.Errorf("install for %s: %w", t.Name, err)
		}
	}
	if len(results) == 0 {
		return nil, fmt.Errorf("%w %q (known: %s, %s)", ErrTarget, o.Target, names(), All)
	}
	return results, nil
}

// put makes dir hold the skill.
func put(dir string, dry bool) (Action, error) {
	files := Files()
	var stale []string // what is missing or differs
	err := fs.WalkDir(files, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		want, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		same, err := holds(filepath.Join(dir, filepath.FromSlash(name)), want)
		if err != nil {
			return err
		}
		if !same {
			stale = append(stale, name)
		}
		return nil
	})
	switch {
	case err != nil:
		return "", err
	case len(stale) == 0:
		return Unchanged, nil
	case dry:
		return WouldWrite, nil
	}
	// The walk is by name and meets SKILL.md first; it has to be written last.
	slices.Reverse(stale)
	for _, name := range stale {
		b, err := fs.ReadFile(files, name)
		if err != nil {
			return "", err
		}
		if err := replace(filepath.Join(dir, filepath.FromSlash(name)), b); err != nil {
			return "", err
		}
	}
	return Written, nil
}

// holds reports whether the file is there and is exactly this.
func holds(path string, want []byte) (bool, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if info.IsDir() {
		return false, &fs.PathError{Op: "install", Path: path, Err: errors.New("is a directory")}
	}
	if !info.Mode().IsRegular() || info.Size() != int64(len(want)) {
		return false, nil
	}
	have, err := os.ReadFile(path)
	if err != nil {
		return false, err
	}
	return bytes.Equal(have, want), nil
}

// replace writes the file beside its place and moves it there.
func replace(path string, b []byte) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	temp, err := os.CreateTemp(dir, ".pairmux-skill-*")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name()) // fails after the rename, as it should
	_, err = temp.Write(b)
	if err == nil {
		err = temp.Chmod(0o644)
	}
	if err == nil {
		// Before the rename, or a crash could leave an empty file in its place.
		err = temp.Sync()
	}
	if closed := temp.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return os.Rename(temp.Name(), path)
}
