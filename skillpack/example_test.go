package skillpack_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/pairmux/pairmux/skillpack"
)

func ExampleInstall() {
	home, err := os.MkdirTemp("", "home")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(home)
	results, err := skillpack.Install(skillpack.Options{
		Home:   home,
		Target: "claude-code",
		Env:    func(string) string { return "" },
	})
	if err != nil {
		panic(err)
	}
	for _, r := range results {
		path, _ := filepath.Rel(home, r.Path)
		fmt.Println(r.Target, r.Action, path)
	}
	// Output: claude-code written .claude/skills/pairmux
}
