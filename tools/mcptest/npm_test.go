package mcptest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
)

const clientsDir = "clients"

// skipVariable leaves out the clients that come from npm.
const skipVariable = "PAIRMUX_SKIP_CLIENTS"

// npmClients is where the clients are installed, and a Node that can run them.
var npmClients = sync.OnceValues(installClients)

type npmTree struct {
	modules string // a node_modules directory
	node    string
}

// needClients returns the installed clients, or skips the test if the user has
// said so. A machine without npm is not a reason to skip.
func needClients(t *testing.T) npmTree {
	t.Helper()
	if os.Getenv(skipVariable) == "1" {
		if os.Getenv("CI") != "" {
			t.Fatalf("%s is set in CI", skipVariable)
		}
		t.Skipf("%s is set", skipVariable)
	}
	tree, err := npmClients()
	if err != nil {
		t.Fatalf("the clients cannot be installed from npm: %v\n(npm is needed; %s=1 leaves these tests out)", err, skipVariable)
	}
	return tree
}

// installClients installs what package-lock.json says into the user's cache, in
// a directory named for the lock file, so that a change of it installs anew.
func installClients() (npmTree, error) {
	lock, err := os.ReadFile(filepath.Join(clientsDir, "package-lock.json"))
	if err != nil {
		return npmTree{}, err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return npmTree{}, err
	}
	sum := sha256.Sum256(lock)
	cache = filepath.Join(cache, "pairmux-test")
	dir := filepath.Join(cache, "clients-"+hex.EncodeToString(sum[:6]))
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return npmTree{}, err
	}
	// One installation at a time, and never half of one: it is made beside and
	// renamed.
	guard, err := os.OpenFile(filepath.Join(cache, "lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return npmTree{}, err
	}
	defer guard.Close()
	if err := syscall.Flock(int(guard.Fd()), syscall.LOCK_EX); err != nil {
		return npmTree{}, err
	}
	tree := npmTree{modules: filepath.Join(dir, "node_modules")}
	if _, err := os.Stat(dir); err != nil {
		if err := npmInstall(cache, dir); err != nil {
			return npmTree{}, err
		}
	}
	tree.node, err = findNode(tree.modules)
	return tree, err
}

func npmInstall(cache, dir string) error {
	beside, err := os.MkdirTemp(cache, "new-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(beside)
	for _, name := range []string{"package.json", "package-lock.json"} {
		b, err := os.ReadFile(filepath.Join(clientsDir, name))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(beside, name), b, 0o644); err != nil {
			return err
		}
	}
	// Not `npm ci`: it refuses a lock file without the optional packages of other
	// systems, which a registry need not have. The versions are the lock file's all
	// the same, and their hashes are checked.
	cmd := exec.Command("npm", "install", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
	cmd.Dir = beside
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("npm install: %w\n%s", err, out)
	}
	return os.Rename(beside, dir)
}

// findNode prefers the system's Node if it is new enough for all clients, and
// else takes the one that npm has installed.
func findNode(modules string) (string, error) {
	if node, err := exec.LookPath("node"); err == nil {
		out, err := exec.Command(node, "--version").Output()
		major, _, _ := strings.Cut(strings.TrimPrefix(string(out), "v"), ".")
		if n, _ := strconv.Atoi(major); err == nil && n >= 24 {
			return node, nil
		}
	}
	found, _ := filepath.Glob(filepath.Join(modules, "node-*", "bin", "node"))
	for _, node := range found {
		if exec.Command(node, "--version").Run() == nil {
			return node, nil
		}
	}
	return exec.LookPath("node")
}

// node is a Node process in a world of its own, in a directory where the clients
// can be imported.
func (w *world) node(tree npmTree, argv ...string) *exec.Cmd {
	w.t.Helper()
	dir := filepath.Join(w.dir, "clients")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		w.t.Fatal(err)
	}
	scripts, err := filepath.Glob(filepath.Join(clientsDir, "*.mjs"))
	if err != nil {
		w.t.Fatal(err)
	}
	for _, s := range scripts {
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(s)), []byte(read(w.t, s)), 0o644); err != nil {
			w.t.Fatal(err)
		}
	}
	if err := os.Symlink(tree.modules, filepath.Join(dir, "node_modules")); err != nil && !os.IsExist(err) {
		w.t.Fatal(err)
	}
	cmd := w.command(append([]string{tree.node}, argv...)...)
	cmd.Dir = dir
	return cmd
}
