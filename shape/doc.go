// Package shape turns a pane's bytes into the lines a person saw go by, and
// cuts them to what a reply can carry.
//
// [Renderer] is a small model of the terminal's screen. Redraws (carriage
// return, backspace, cursor movement, erases, scroll regions) are folded to
// their last state, rows that wrapped are joined again, colours, titles, links
// and queries are removed. What has scrolled off the top is final and handed
// on; so is what a "clear" would wipe. The alternate screen is not part of the
// lines, one line such as "[full screen: 41 KB, 12 s]" stands for it. The model
// follows tmux; where tmux loses characters a reader wants (a TAB at the right
// edge, long grapheme clusters), they are kept.
//
// Lines are UTF-8 and hold no control character but TAB. Invalid UTF-8 becomes
// U+FFFD, a unit a maximal ill-formed part as Unicode recommends; NUL vanishes.
// Memory is constant however long the input and its lines are.
//
// [Window] bounds lines by number and size, [Grep] and [Range] select from a
// stream of pane bytes without rendering more than they must.
package shape
