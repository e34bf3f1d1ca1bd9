package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
)

// warmup is how many rounds are thrown away before a series begins.
const warmup = 5

// bench is what a run was asked for, and the worlds that it has made.
type bench struct {
	bin     string
	rounds  int           // of a cheap comparison
	large   int64         // bytes of the large journal
	stream  int64         // bytes printed to measure a pane's throughput
	idle    time.Duration // how long an idle waiter is watched
	waiters int

	mu     sync.Mutex
	worlds []*world
}

// groups in the order in which the table has them.
var groups = []struct {
	name string
	run  func(*bench) ([]row, error)
}{
	{"calls", calls},
	{"startup", startup},
	{"mcp", mcp},
	{"reply", replies},
	{"wake", wakes},
	{"waiters", waiters},
	{"idle", idleWaiter},
	{"ls", listing},
	{"peek", peeks},
	{"selectors", selectors},
	{"growth", growth},
	{"shaping", shaping},
	{"throughput", throughput},
}

// report is bench.json.
type report struct {
	When    time.Time         `json:"when"`
	Machine map[string]string `json:"machine"`
	Quick   bool              `json:"quick"`
	Retried int               `json:"retried_busy"`
	Rows    []row             `json:"rows"`
}

func main() {
	bin := flag.String("bin", "bin/pairmux", "the `binary` to measure")
	quick := flag.Bool("quick", false, "fewer rounds, a smaller journal, a shorter idle wait")
	only := flag.String("only", "", "run only the groups that match this `regexp`: calls startup mcp reply wake waiters idle ls peek selectors growth shaping throughput")
	out := flag.String("json", "bench.json", "write the figures to this `file`")
	flag.Parse()
	if err := measure(*bin, *quick, *only, *out); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func measure(bin string, quick bool, only, out string) error {
	filter, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	b := &bench{rounds: 200, large: 1 << 30, stream: 64 << 20, idle: time.Minute, waiters: 100}
	if quick {
		b.rounds, b.large, b.stream, b.idle = 40, 64<<20, 16<<20, 5*time.Second
	}
	if b.bin, err = filepath.Abs(bin); err != nil {
		return err
	}
	if _, err := os.Stat(b.bin); err != nil {
		return err
	}
	defer b.close()
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-interrupted
		b.close()
		os.Exit(130)
	}()

	r := report{When: time.Now().UTC().Truncate(time.Second), Machine: machine(), Quick: quick}
	for _, g := range groups {
		if !filter.MatchString(g.name) {
			continue
		}
		fmt.Fprintf(os.Stderr, "%s …\n", g.name)
		rows, err := g.run(b)
		b.close()
		if err != nil {
			return fmt.Errorf("%s: %w", g.name, err)
		}
		for i := range rows {
			rows[i].OK = rows[i].verdict()
		}
		r.Rows = append(r.Rows, rows...)
	}
	r.Retried = busy
	writeTable(os.Stdout, r.Rows)
	for _, k := range []string{"system", "cpus", "tmux", "bash", "load"} {
		fmt.Printf("%s: %s\n", k, r.Machine[k])
	}
	if busy > 0 {
		fmt.Printf("runs refused as busy on a free terminal, and tried again: %d\n", busy)
	}
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(out, append(data, '\n'), 0o644)
}

// world makes one that is torn down at the end of the group.
func (b *bench) world() (*world, error) {
	w, err := newWorld(b.bin)
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.worlds = append(b.worlds, w)
	return w, nil
}

func (b *bench) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, w := range b.worlds {
		if err := w.close(); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
		}
	}
	b.worlds = nil
}

func machine() map[string]string {
	first := func(argv ...string) string {
		out, err := exec.Command(argv[0], argv[1:]...).Output()
		if err != nil {
			return "unknown"
		}
		line, _, _ := strings.Cut(string(out), "\n")
		return line
	}
	load, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		load = []byte("unknown")
	}
	return map[string]string{
		"system": first("uname", "-srm"),
		"cpus":   fmt.Sprint(runtime.NumCPU()),
		"tmux":   first("tmux", "-V"),
		"bash":   first("bash", "--version"),
		"load":   strings.TrimSpace(string(load)) + " at the start",
	}
}
