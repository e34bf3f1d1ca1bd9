// Command pairmux gives an agent and a human the same real terminals, over
// tmux. See docs/cli.md for its commands.
package main
