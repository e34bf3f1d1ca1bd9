// Package tmuxio says to tmux all that has to be said, one client call a verb.
//
// A [Server] is a private tmux server, told apart by its label. It reads no
// configuration, has one session "pairmux" and in it one window a terminal,
// whose pane carries the option @pairmux_name. A human may split, rename, move
// and kill there; panes without that option are not ours, and ours are
// addressed by pane id ("%4") alone.
//
// A client call costs about 2 ms, twenty chained commands in it 2.6 ms, so a
// verb is one chain: [Server.CreateWindow] makes the window, wires its output
// and returns its ids; [Server.Type] leaves copy mode, checks, types and
// reports. tmux runs such a chain before it turns to the pane or to another
// client: nothing comes in between.
//
// Rules of tmux that this package keeps, so that callers need not:
//
//   - Words: an argument that ends in ';' separates commands ([Arg]); formats
//     expand '#' and some also '%' ([FormatLiteral]); command strings have a
//     grammar of their own ([CommandQuote]).
//   - A client message holds 16 KB; longer text goes through a paste buffer.
//   - A stopped server makes a client hang for ever: every wait is bounded by
//     its context, and by [DefaultTimeout] if that has no deadline.
//   - A client of another version may find that the "server exited
//     unexpectedly" although it lives; the server's own executable is then
//     used in its place.
//
// Methods of [Server] are safe for concurrent use; a [Call] is not. Versions
// 3.2 and later are supported; what differs between them is handled inside.
package tmuxio
