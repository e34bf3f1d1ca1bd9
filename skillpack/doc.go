// Package skillpack holds the Agent Skill of pairmux and installs it where AI agents
// look for skills.
//
// The skill is a directory: SKILL.md, which an agent reads when its description fits
// the task, and references, which it reads on demand. [Files] is its content,
// [Targets] are the places, [Install] puts the one into the others. The format is
// that of agentskills.io: YAML front matter with name and description, then Markdown.
package skillpack
