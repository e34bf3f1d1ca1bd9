package lockfile_test

import (
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/pairmux/pairmux/lockfile"
)

func Example() {
	dir, err := os.MkdirTemp("", "lockfile")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "lock")

	unlock, err := lockfile.TryLock(path, lockfile.Holder{Verb: "run", Text: "make test"})
	if err != nil {
		log.Fatal(err)
	}
	_, err = lockfile.TryLock(path, lockfile.Holder{Verb: "run", Text: "ls"})
	var held *lockfile.HeldError
	if errors.As(err, &held) {
		fmt.Printf("busy with %q\n", held.Holder.Text)
	}
	unlock()
	_, is := lockfile.Held(path)
	fmt.Println("held:", is)
	// Output:
	// busy with "make test"
	// held: false
}
