package skillpack

import (
	"embed"
	"io/fs"
)

// Name is the skill's name and that of its directory.
const Name = "pairmux"

//go:embed skill
var embedded embed.FS

// Files returns the skill: SKILL.md and references/*.md. It cannot be written and is
// safe for concurrent use.
func Files() fs.FS {
	files, err := fs.Sub(embedded, "skill")
	if err != nil {
		panic(err) // the name is a constant
	}
	return files
}
