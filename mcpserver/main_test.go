package mcpserver

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"
)

// roleVariable makes the test binary play a part: pairmux, as the server's child, or
// the server itself.
const roleVariable = "MCPSERVER_TEST_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(roleVariable) {
	case "child":
		os.Exit(playPairmux(os.Args[1:]))
	case "server":
		os.Exit(playServer())
	}
	os.Exit(m.Run())
}

// childEnv is the environment in which this test binary is pairmux.
func childEnv() []string {
	// A race-enabled binary sleeps for a second at its end unless it is told not to.
	return append(os.Environ(), roleVariable+"=child", "GORACE=atexit_sleep_ms=0")
}

func self() string {
	path, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return path
}

func playServer() int {
	fmt.Println("a stray line on standard output")
	err := ServeStdio(Config{Executable: self(), Env: childEnv(), Version: "1.2.3"})
	fmt.Println("another one")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// seen is what the pretended pairmux was given.
type seen struct {
	Argv  []string `json:"argv"`
	Stdin string   `json:"stdin"`
	Dir   string   `json:"dir"`
}

// playPairmux does what the last argument says, as far as it is one of the words
// below, and otherwise replies with what it was given.
func playPairmux(args []string) int {
	gone := make(chan struct{})
	WatchLife(func() { close(gone) })
	if os.Getenv(lifeVariable) != "" {
		fmt.Print("the life pipe's variable is still there")
		return 1
	}
	stdin, err := io.ReadAll(os.Stdin)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	word, rest, _ := strings.Cut(args[len(args)-1], " ")
	reply := func(s string) { fmt.Println(`{"schema":"pairmux.v1","ok":true,` + s + `}`) }
	interrupts := make(chan os.Signal, 1)
	switch word {
	case "fail":
		fmt.Println(`{"schema":"pairmux.v1","ok":false,"status":"error","error":{"code":"E_BUSY","message":"<busy> & \"locked\""}}`)
		return 1
	case "garbage":
		fmt.Println("panic: \x1b[31mno reply")
		fmt.Fprintln(os.Stderr, "stack \x1b[1mtrace")
		return 2
	case "empty":
	case "two":
		reply(`"status":"ok"`)
		reply(`"status":"ok"`)
	case "array":
		fmt.Println(`[{"schema":"pairmux.v1","ok":true}]`)
	case "invalid":
		reply("\"output\":\"\xff\"")
	case "schemaless":
		fmt.Println(`{"ok":true,"status":"ok"}`)
	case "badend":
		reply(`"status":"done"`)
		return 1
	case "interrupted":
		reply(`"status":"running"`)
		return 130
	case "killed":
		reply(`"status":"done"`)
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
	case "future":
		reply(`"status":"ok","later":1,"truncated":{"omitted_lines":1,"get_full":"x","later":2}`)
	case "raw":
		reply(`"status":"ok","output":` + rest)
	case "big":
		n := 0
		fmt.Sscan(rest, &n)
		fill := []byte(strings.Repeat("x", 1<<16))
		os.Stdout.WriteString(`{"schema":"pairmux.v1","ok":true,"status":"ok","output":"`)
		for n > 0 {
			k := min(n, len(fill))
			if _, err := os.Stdout.Write(fill[:k]); err != nil {
				return 1
			}
			n -= k
		}
		fmt.Println(`"}`)
	case "noisy":
		for range 160 {
			os.Stderr.Write([]byte(strings.Repeat("noise ", 1<<16/6)))
		}
		reply(`"status":"ok","output":"quiet"`)
	case "leave":
		// A process that outlives this one holds the pipes open.
		cmd := exec.Command(self(), "hang "+rest)
		cmd.Env = append(os.Environ(), lifeVariable+"=none")
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		if err := cmd.Start(); err != nil {
			return 1
		}
		reply(`"status":"ok","output":"left"`)
	case "hang", "stubborn", "family":
		// The FIFO tells the test when this process, and whoever inherits it, is
		// there and when it is gone.
		fifo, err := os.OpenFile(rest, os.O_WRONLY, 0)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		if word == "hang" {
			signal.Notify(interrupts, os.Interrupt)
		} else {
			signal.Ignore(os.Interrupt, syscall.SIGTERM)
		}
		if word == "family" {
			cmd := exec.Command("sleep", "600")
			cmd.ExtraFiles = []*os.File{fifo}
			if err := cmd.Start(); err != nil {
				return 1
			}
		}
		fmt.Fprintln(fifo, os.Getpid())
		select {
		case <-interrupts:
			reply(`"status":"running","output":"last word"`)
			return 130
		case <-gone:
			return 1
		}
	case "nap":
		d, err := time.ParseDuration(rest)
		if err != nil {
			return 1
		}
		time.Sleep(d)
		reply(`"status":"ok"`)
	default:
		dir, _ := os.Getwd()
		told, _ := json.Marshal(seen{args, string(stdin), dir})
		output, _ := json.Marshal(string(told))
		reply(`"status":"ok","output":` + string(output))
	}
	return 0
}

// fifo makes a named pipe; opened, it is the sign of life of the child that opens it.
func fifo(t *testing.T) string {
	t.Helper()
	path := t.TempDir() + "/fifo"
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// alive blocks until a process opened the fifo and said so, and returns its end.
func alive(t *testing.T, path string) *bufio.Reader {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	r := bufio.NewReader(f)
	if line, err := r.ReadString('\n'); err != nil {
		t.Fatalf("no sign of life: %q %v", line, err)
	}
	return r
}

// gone blocks until no process holds the fifo any more.
func gone(t *testing.T, r *bufio.Reader) {
	t.Helper()
	done := make(chan error, 1)
	go func() {
		_, err := io.ReadAll(r)
		done <- err
	}()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(patience):
		t.Error("a child is still there")
	}
}
