// Package house has no code; its tests hold the repository to its layout: the
// modules and their files, who may import whom, what go.work and the go.mod
// files say, and that nothing depends on one machine.
package house
