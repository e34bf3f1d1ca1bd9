// Package lockfile is an advisory lock between processes that says who holds
// it: a terminal's writer lock, its send lock, the reservation of a name.
//
// The lock is flock(2) on a file; the file's content names the holder. What
// follows from that:
//
//   - The kernel drops the lock when its holder ends, also by SIGKILL. No lock
//     is ever stale, and none needs to be broken. Content that a killed holder
//     left behind means nothing by itself; [Held] does not believe it.
//   - A lock belongs to one open of the file. Two calls in one process exclude
//     each other just as two processes do. The descriptor is close-on-exec, so
//     a program started by the holder does not keep the lock alive; a bare
//     fork without exec would.
//   - Never unlink, rename or replace a lock file that others may use: whoever
//     has the old file open and whoever opens the new one would both succeed.
//     A lock that guards a directory which is renamed lives outside of it.
//   - Only callers of this package are kept out; the file can still be read
//     and written by anyone whom its mode (0600) lets.
//   - Over NFS Linux turns flock into a byte-range lock held by the server:
//     exclusion works between hosts (unless mounted with local_lock or
//     nolock), but the holder's pid then means nothing on another host.
//   - Waiting is by trying again about once a millisecond. There is no queue:
//     of several waiters any one is next.
package lockfile
