package mcpserver

import (
	"encoding/json"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

func toolNamed(t *testing.T, name string) Tool {
	t.Helper()
	for _, tool := range Tools() {
		if tool.Name == name {
			return tool
		}
	}
	t.Fatalf("no tool %s", name)
	return Tool{}
}

// TestToolTable holds what hosts are known to demand: see the limits in the table of
// clients in the research that this module follows.
func TestToolTable(t *testing.T) {
	var names []string
	for _, tool := range Tools() {
		names = append(names, tool.Name)
		if !regexp.MustCompile(`^pairmux_[a-z]+$`).MatchString(tool.Name) || tool.Title == "" {
			t.Errorf("%s: name or title", tool.Name)
		}
		if n := len([]rune(tool.Description)); n < 40 || n > 1000 {
			t.Errorf("%s: description of %d characters", tool.Name, n)
		}
		if tool.ReadOnly && tool.Destructive {
			t.Errorf("%s: reads only and destroys", tool.Name)
		}
		seen := map[string]bool{}
		for _, a := range tool.Arguments {
			if seen[a.Name] || !regexp.MustCompile(`^[a-z][a-z_]{1,63}$`).MatchString(a.Name) {
				t.Errorf("%s.%s: name", tool.Name, a.Name)
			}
			seen[a.Name] = true
			if a.Description == "" {
				t.Errorf("%s.%s: no description", tool.Name, a.Name)
			}
			if a.Flag != "" && !regexp.MustCompile(`^--[a-z][a-z-]+$`).MatchString(a.Flag) {
				t.Errorf("%s.%s: flag %q", tool.Name, a.Name, a.Flag)
			}
			if a.Flag == "" && !a.positional && a.Name != "history" {
				t.Errorf("%s.%s reaches no command line", tool.Name, a.Name)
			}
		}
	}
	want := "pairmux_new pairmux_run pairmux_peek pairmux_wait pairmux_send pairmux_log pairmux_ls pairmux_kill pairmux_note pairmux_doctor"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("tools are\n%s, want\n%s", got, want)
	}
}

func TestEveryArgumentOfTheContractIsThere(t *testing.T) {
	want := strings.Fields(`terminal terminals name cwd cmd size env shell command script timeout head tail max_bytes
		screen nested idle_ms pattern done human note since notify text keys enter wait command_id last grep range context
		history failed all`)
	have := map[string]bool{}
	for _, tool := range Tools() {
		for _, a := range tool.Arguments {
			have[a.Name] = true
			if !slices.Contains(want, a.Name) {
				t.Errorf("%s.%s is in no contract", tool.Name, a.Name)
			}
		}
	}
	for _, name := range want {
		if !have[name] {
			t.Errorf("no tool takes %s", name)
		}
	}
}

func TestAnnotations(t *testing.T) {
	const readOnly, destructive, idempotent, openWorld = 8, 4, 2, 1
	want := map[string]int{
		"pairmux_new": openWorld, "pairmux_run": destructive | openWorld, "pairmux_send": destructive | openWorld,
		"pairmux_peek": readOnly | idempotent, "pairmux_wait": readOnly | idempotent, "pairmux_log": readOnly | idempotent,
		"pairmux_ls": readOnly | idempotent, "pairmux_doctor": readOnly | idempotent,
		"pairmux_kill": destructive | idempotent, "pairmux_note": 0,
	}
	for _, tool := range Tools() {
		var d struct {
			Title       string          `json:"title"`
			Annotations map[string]any  `json:"annotations"`
			Meta        json.RawMessage `json:"_meta"`
		}
		if err := json.Unmarshal(mustMarshal(tool.describe()), &d); err != nil {
			t.Fatal(err)
		}
		got := 0
		for bit, hint := range map[int]string{readOnly: "readOnlyHint", destructive: "destructiveHint", idempotent: "idempotentHint", openWorld: "openWorldHint"} {
			value, ok := d.Annotations[hint].(bool)
			if !ok {
				t.Errorf("%s: no %s, and the default is not what we mean", tool.Name, hint)
			}
			if value {
				got |= bit
			}
		}
		if got != want[tool.Name] {
			t.Errorf("%s: hints %04b, want %04b", tool.Name, got, want[tool.Name])
		}
		if d.Title == "" || d.Annotations["title"] != d.Title {
			t.Errorf("%s: titles %q, %v", tool.Name, d.Title, d.Annotations["title"])
		}
	}
}

// TestSchemasArePortable walks the schemas: hosts leave out tools whose schemas hold
// references, combinators, several types, arrays without items.
func TestSchemasArePortable(t *testing.T) {
	var walk func(where string, s map[string]any)
	walk = func(where string, s map[string]any) {
		kind, ok := s["type"].(string)
		if !ok {
			t.Errorf("%s: type is %v, want one string", where, s["type"])
		}
		for key, value := range s {
			switch key {
			case "type", "description", "title", "default", "enum", "required", "minimum", "maximum", "minLength", "minItems", "maxItems":
			case "additionalProperties":
				if value != false {
					t.Errorf("%s: open", where)
				}
			case "items":
				walk(where+"[]", value.(map[string]any))
			case "properties":
				for name, p := range value.(map[string]any) {
					walk(where+"."+name, p.(map[string]any))
				}
			default:
				t.Errorf("%s: keyword %s", where, key)
			}
		}
		if kind == "object" && s["additionalProperties"] != false {
			t.Errorf("%s: an object that is not closed", where)
		}
		if kind == "array" && s["items"] == nil {
			t.Errorf("%s: an array without items", where)
		}
	}
	for _, tool := range Tools() {
		for _, schema := range []json.RawMessage{tool.InputSchema(), outputSchema()} {
			var s map[string]any
			if err := json.Unmarshal(schema, &s); err != nil {
				t.Fatal(err)
			}
			if s["type"] != "object" {
				t.Errorf("%s: root is %v", tool.Name, s["type"])
			}
			walk(tool.Name, s)
		}
	}
}

func TestListIsTheSameEveryTime(t *testing.T) {
	s := initialized(t)
	s.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	first := s.next()
	s.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	if second := s.next(); first != second {
		t.Error("two lists differ")
	}
	if strings.Contains(first, "nextCursor") {
		t.Error("a second page is promised")
	}
}

func TestInstructionsFitTheHosts(t *testing.T) {
	if n := len(instructions); n > 2000 {
		t.Errorf("%d bytes, want at most 2,000: Claude Code cuts at 2,048", n)
	}
	for _, m := range regexp.MustCompile(`pairmux_[a-z]+`).FindAllString(instructions, -1) {
		toolNamed(t, m)
	}
}

// TestOutputSchema checks the closed schema with replies of every
// kind, and that it refuses what is none.
func TestOutputSchema(t *testing.T) {
	for _, reply := range []string{
		`{"schema":"pairmux.v1","ok":true}`,
		`{"schema":"pairmux.v1","ok":true,"status":"done","terminal":"b","mode":"hooks","exit_code":0,"duration_ms":0,"cmd_id":3,"output":"x\ny","truncated":{"omitted_lines":0,"omitted_bytes":9,"get_full":"pairmux log b --cmd 3"},"cursor":0,"notes":["n"],"next":["x"],"warnings":["w"]}`,
		`{"schema":"pairmux.v1","ok":true,"status":"awaiting-input","terminal":"b","prompt":{"kind":"secret","evidence":"tty"}}`,
		`{"schema":"pairmux.v1","ok":true,"status":"ok","terminals":[{"name":"b","status":"dead","mode":"sentinel","cmd":"x","lock_pid":1,"notes":2,"last_activity":"2026-11-30T00:00:00Z","exit_code":-1,"socket":"s"}]}`,
		`{"schema":"pairmux.v1","ok":true,"status":"ok","history":[{"cmd_id":1,"command":"x","by":"human","exit_code":1,"started":"2026-11-30T00:00:00Z","duration_ms":5,"bytes":0}]}`,
		`{"schema":"pairmux.v1","ok":true,"status":"issues","checks":[{"name":"tmux","ok":false,"detail":"d","fix":"f"}]}`,
		`{"schema":"pairmux.v1","ok":false,"status":"error","next":["h"],"error":{"code":"E_TOO_LARGE","message":"m","hint":"h"}}`,
	} {
		if err := matches(outputSchema(), json.RawMessage(reply)); err != nil {
			t.Errorf("%v in %s", err, reply)
		}
	}
	for _, reply := range []string{
		`{"ok":true}`, `{"schema":"pairmux.v1"}`, `{"schema":"pairmux.v2","ok":true}`, `{"schema":"pairmux.v1","ok":"yes"}`,
		`{"schema":"pairmux.v1","ok":true,"surprise":1}`, `{"schema":"pairmux.v1","ok":true,"prompt":{"kind":"secret","evidence":"tty","x":1}}`,
		`{"schema":"pairmux.v1","ok":false,"error":{"code":"E_OTHER","message":"m"}}`, `[]`,
	} {
		if matches(outputSchema(), json.RawMessage(reply)) == nil {
			t.Errorf("accepts %s", reply)
		}
	}
}

// TestCommandLines: arguments in, command line out, its words parted by |.
func TestCommandLines(t *testing.T) {
	for _, c := range []struct {
		tool, arguments, argv, stdin string
		wait                         time.Duration
	}{
		{"pairmux_new", `{}`, "new|--json", "", 30 * time.Second},
		{"pairmux_new", `{"name":"b","cwd":"/a b","size":"80x24","env":["A=1","B=--x"],"shell":"/bin/zsh","timeout":"10s"}`,
			"new|--name=b|--cwd=/a b|--size=80x24|--env=A=1|--env=B=--x|--shell=/bin/zsh|--timeout=10s|--json", "", 10 * time.Second},
		{"pairmux_new", `{"cmd":"-x; echo \"$(y)\"\nz"}`, "new|--cmd=-x; echo \"$(y)\"\nz|--json", "", 30 * time.Second},
		{"pairmux_run", `{"terminal":"b","command":"ls -l"}`, "run|--timeout=45s|--max-bytes=24KiB|--json|--|b|ls -l", "", 45 * time.Second},
		{"pairmux_run", `{"terminal":"b","command":"--help"}`, "run|--timeout=45s|--max-bytes=24KiB|--json|--|b|--help", "", 45 * time.Second},
		{"pairmux_run", `{"terminal":"b","command":""}`, "run|--timeout=45s|--max-bytes=24KiB|--json|--|b|", "", 45 * time.Second},
		{"pairmux_run", `{"terminal":"b","script":"a\nb\n","timeout":"5m","head":1,"tail":0,"max_bytes":"1MiB","nested":true}`,
			"run|--script=-|--timeout=5m|--head=1|--tail=0|--max-bytes=1MiB|--nested|--json|--|b", "a\nb\n", 5 * time.Minute},
		{"pairmux_run", `{"terminal":"b","command":"x","nested":false,"timeout":"0"}`, "run|--timeout=0|--max-bytes=24KiB|--json|--|b|x", "", 0},
		{"pairmux_peek", `{"terminal":"b"}`, "peek|--json|--|b", "", 0},
		{"pairmux_peek", `{"terminal":"-b","tail":5}`, "peek|--tail=5|--json|--|-b", "", 0},
		{"pairmux_peek", `{"terminal":"b","screen":true}`, "peek|--screen|--json|--|b", "", 0},
		{"pairmux_wait", `{"terminal":"b"}`, "wait|--timeout=45s|--json|--|b", "", 45 * time.Second},
		{"pairmux_wait", `{"terminals":["b","c"],"pattern":"^a+b$","since":"run","timeout":"300ms"}`,
			"wait|--pattern=^a+b$|--since=run|--timeout=300ms|--json|--|b|c", "", 300 * time.Millisecond},
		{"pairmux_wait", `{"terminal":"b","done":true,"command_id":7}`, "wait|--done|--cmd=7|--timeout=45s|--json|--|b", "", 45 * time.Second},
		{"pairmux_wait", `{"terminal":"b","human":true,"note":true,"notify":true,"idle_ms":800,"since":1234,"timeout":"1h30m"}`,
			"wait|--idle=800|--human|--note|--since=1234|--notify|--timeout=1h30m|--json|--|b", "", 90 * time.Minute},
		{"pairmux_wait", `{"terminal":"b","since":"0"}`, "wait|--since=0|--timeout=45s|--json|--|b", "", 45 * time.Second},
		{"pairmux_send", `{"terminal":"b","text":"-y\n\u0001"}`, "send|--stdin|--json|--|b", "-y\n\x01", 0},
		{"pairmux_send", `{"terminal":"b","keys":["C-c","Enter"],"enter":true}`, "send|--key=C-c|--key=Enter|--enter|--json|--|b", "", 0},
		{"pairmux_send", `{"terminal":"b","text":"","enter":true}`, "send|--enter|--json|--|b", "", 0},
		{"pairmux_send", `{"terminal":"b","text":"y","enter":true,"wait":"pattern=a b"}`,
			"send|--stdin|--enter|--wait=pattern=a b|--timeout=45s|--max-bytes=24KiB|--json|--|b", "y", 45 * time.Second},
		{"pairmux_send", `{"terminal":"b","enter":true,"wait":"idle","timeout":"5s","head":1,"tail":2,"max_bytes":"1KiB"}`,
			"send|--enter|--wait=idle|--timeout=5s|--head=1|--tail=2|--max-bytes=1KiB|--json|--|b", "", 5 * time.Second},
		{"pairmux_log", `{"terminal":"b"}`, "log|--max-bytes=24KiB|--json|--|b", "", 0},
		{"pairmux_log", `{"terminal":"b","grep":"-x","context":2,"head":1,"tail":2,"max_bytes":"64KiB"}`,
			"log|--grep=-x|--context=2|--head=1|--tail=2|--max-bytes=64KiB|--json|--|b", "", 0},
		{"pairmux_log", `{"terminal":"b","range":"1:end"}`, "log|--range=1:end|--max-bytes=24KiB|--json|--|b", "", 0},
		{"pairmux_log", `{"terminal":"b","command_id":3}`, "log|--cmd=3|--max-bytes=24KiB|--json|--|b", "", 0},
		{"pairmux_log", `{"terminal":"b","last":true,"since":"start"}`, "log|--last|--since=start|--max-bytes=24KiB|--json|--|b", "", 0},
		{"pairmux_log", `{"terminal":"b","history":true}`, "history|--json|--|b", "", 0},
		{"pairmux_log", `{"terminal":"b","history":true,"failed":true,"tail":5}`, "history|--tail=5|--failed|--json|--|b", "", 0},
		{"pairmux_log", `{"terminal":"b","history":false}`, "log|--max-bytes=24KiB|--json|--|b", "", 0},
		{"pairmux_ls", ``, "ls|--json", "", 0},
		{"pairmux_ls", `{"all":true}`, "ls|--all|--json", "", 0},
		{"pairmux_kill", `{"terminal":"b"}`, "kill|--json|--|b", "", 0},
		{"pairmux_kill", `{"terminal":"b","all":false}`, "kill|--json|--|b", "", 0},
		{"pairmux_kill", `{"all":true}`, "kill|--all|--json", "", 0},
		{"pairmux_note", `{"terminal":"b","text":"--not a flag"}`, "note|--json|--|b|--not a flag", "", 0},
		{"pairmux_doctor", `{}`, "doctor|--json", "", 0},
	} {
		inv, err := toolNamed(t, c.tool).Invocation(json.RawMessage(c.arguments))
		if err != nil {
			t.Errorf("%s %s: %v", c.tool, c.arguments, err)
			continue
		}
		if got := strings.Join(inv.Argv, "|"); got != c.argv {
			t.Errorf("%s %s:\n got %q\nwant %q", c.tool, c.arguments, got, c.argv)
		}
		if string(inv.Stdin) != c.stdin || (inv.Stdin == nil) != (c.stdin == "") {
			t.Errorf("%s %s: stdin %q, want %q", c.tool, c.arguments, inv.Stdin, c.stdin)
		}
		if inv.Wait != c.wait {
			t.Errorf("%s %s: wait %v, want %v", c.tool, c.arguments, inv.Wait, c.wait)
		}
	}
}

func TestLargeCommandGoesByStandardInput(t *testing.T) {
	command := strings.Repeat("x", 200_000)
	inv, err := toolNamed(t, "pairmux_run").Invocation(mustMarshal(map[string]any{"terminal": "b", "command": command}))
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(inv.Argv, " "); got != "run --script=- --timeout=45s --max-bytes=24KiB --json -- b" || string(inv.Stdin) != command {
		t.Errorf("argv %.200q, %d bytes of stdin", got, len(inv.Stdin))
	}
}

// TestRefusals: each row must be refused, and the message must hold the words.
func TestRefusals(t *testing.T) {
	long := string(mustMarshal(map[string]any{"terminal": "b", "text": strings.Repeat("x", 100_001)}))
	for _, c := range []struct{ tool, arguments, words string }{
		{"pairmux_run", `{}`, "arguments.terminal: is required"},
		{"pairmux_run", `{"terminal":""}`, "arguments.terminal: must not be empty"},
		{"pairmux_run", `{"terminal":"b"}`, "exactly one of command and script"},
		{"pairmux_run", `{"terminal":"b","command":"a","script":"b"}`, "exactly one of command and script"},
		{"pairmux_run", `{"terminal":5,"command":"a"}`, "arguments.terminal: must be a string"},
		{"pairmux_run", `{"terminal":null,"command":"a"}`, "arguments.terminal: must be a string"},
		{"pairmux_run", `{"terminal":"b","command":["a"]}`, "arguments.command: must be a string"},
		{"pairmux_run", `{"terminal":"b","command":"a","nested":"true"}`, "arguments.nested: must be true or false"},
		{"pairmux_run", `{"terminal":"b","command":"a","nested":1}`, "arguments.nested"},
		{"pairmux_run", `{"terminal":"b","command":"a","timeout":30}`, `arguments.timeout: must be a string such as "30s"`},
		{"pairmux_run", `{"terminal":"b","command":"a","timeout":"30"}`, "arguments.timeout: must be a duration"},
		{"pairmux_run", `{"terminal":"b","command":"a","timeout":"-1s"}`, "arguments.timeout: must be a duration"},
		{"pairmux_run", `{"terminal":"b","command":"a","timeout":""}`, "arguments.timeout: must be a duration"},
		{"pairmux_run", `{"terminal":"b","command":"a","timeout":"1.5s"}`, "arguments.timeout: must be a duration"},
		{"pairmux_run", `{"terminal":"b","command":"a","timeout":"25h"}`, "arguments.timeout: must be at most 24h"},
		{"pairmux_run", `{"terminal":"b","command":"a","timeout":"99999999999999999999h"}`, "arguments.timeout"},
		{"pairmux_run", `{"terminal":"b","command":"a","timeout":"9999999999999h"}`, "arguments.timeout"},
		{"pairmux_run", `{"terminal":"b","command":"a","head":"5"}`, "arguments.head: must be an integer"},
		{"pairmux_run", `{"terminal":"b","command":"a","head":1.5}`, "arguments.head: must be an integer"},
		{"pairmux_run", `{"terminal":"b","command":"a","head":1e300}`, "arguments.head: must be an integer"},
		{"pairmux_run", `{"terminal":"b","command":"a","head":-1}`, "arguments.head: must be at least 0"},
		{"pairmux_run", `{"terminal":"b","command":"a","head":null}`, "arguments.head"},
		{"pairmux_run", `{"terminal":"b","command":"a","max_bytes":1024}`, `must be a string such as "64KiB"`},
		{"pairmux_run", `{"terminal":"b","command":"a\u0000"}`, "arguments.command: must not hold NUL"},
		{"pairmux_run", `{"terminal":"b","command":"a","comand":"b"}`, `did you mean "command"?`},
		{"pairmux_run", `{"terminal":"b","command":"a","zzzzzzzzzz":1,"cwd":"/"}`, "arguments.cwd: is unknown; allowed: terminal, command"},
		{"pairmux_run", `{"terminal":"b","Command":"a"}`, `arguments.Command: is unknown, did you mean "command"?`},
		{"pairmux_wait", `{}`, "exactly one of terminal and terminals"},
		{"pairmux_wait", `{"terminal":"b","terminals":["c"]}`, "exactly one of terminal and terminals"},
		{"pairmux_wait", `{"terminals":[]}`, "arguments.terminals: must hold at least one"},
		{"pairmux_wait", `{"terminals":["a",""]}`, "item 1"},
		{"pairmux_wait", `{"terminals":["a",null]}`, "item 1"},
		{"pairmux_wait", `{"terminals":"a"}`, "must be an array of strings"},
		{"pairmux_wait", `{"terminals":["a",5]}`, "must be an array of strings"},
		{"pairmux_wait", `{"terminals":["a\u0000"]}`, "item 0 must not hold NUL"},
		{"pairmux_wait", `{"terminal":"b","idle_ms":0}`, "arguments.idle_ms: must be at least 1"},
		{"pairmux_wait", `{"terminal":"b","since":true}`, "arguments.since"},
		{"pairmux_wait", `{"terminal":"b","since":-1}`, "arguments.since"},
		{"pairmux_send", `{"terminal":"b"}`, "at least one of text, keys and enter"},
		{"pairmux_send", `{"terminal":"b","text":"","enter":false}`, "at least one of text, keys and enter"},
		{"pairmux_send", `{"terminal":"b","text":"a\u0000b"}`, "arguments.text: must not hold NUL"},
		{"pairmux_send", `{"terminal":"b","text":"a","timeout":"5s"}`, "arguments.timeout: goes with wait only"},
		{"pairmux_send", `{"terminal":"b","text":"a","tail":5}`, "arguments.tail: goes with wait only"},
		{"pairmux_log", `{"terminal":"b","failed":true}`, "arguments.failed: goes with history only"},
		{"pairmux_log", `{"terminal":"b","history":true,"grep":"x"}`, "arguments.grep: does not go with history"},
		{"pairmux_kill", `{}`, "exactly one of terminal and all"},
		{"pairmux_kill", `{"all":false}`, "exactly one of terminal and all"},
		{"pairmux_kill", `{"terminal":"b","all":true}`, "exactly one of terminal and all"},
		{"pairmux_note", `{"terminal":"b"}`, "arguments.text: is required"},
		{"pairmux_note", `{"terminal":"b","text":""}`, "arguments.text: must not be empty"},
		{"pairmux_note", long, "arguments.text: must be at most 100000 bytes"},
		{"pairmux_ls", `[]`, "arguments must be an object"},
	} {
		_, err := toolNamed(t, c.tool).Invocation(json.RawMessage(c.arguments))
		if err == nil || !strings.HasPrefix(err.Error(), c.tool+": ") || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s %.100s:\n got %v\nwant %s", c.tool, c.arguments, err, c.words)
		}
	}
}

func TestIntegersAsJSONSchemaCountsThem(t *testing.T) {
	for _, n := range []string{"5", "5.0", "5e0", "50e-1"} {
		inv, err := toolNamed(t, "pairmux_peek").Invocation(json.RawMessage(`{"terminal":"b","tail":` + n + `}`))
		if err != nil || inv.Argv[1] != "--tail=5" {
			t.Errorf("%s: %v %v", n, inv, err)
		}
	}
}

// TestSchemasAgreeWithTheDecoder: what a schema refuses the decoder refuses, so that a
// host that checks and one that does not see the same.
func TestSchemasAgreeWithTheDecoder(t *testing.T) {
	values := []string{`"x"`, `""`, `0`, `5`, `-1`, `1.5`, `true`, `null`, `[]`, `["x"]`, `[""]`, `[5]`, `{}`, `"30s"`}
	for _, tool := range Tools() {
		for _, a := range tool.Arguments {
			for _, v := range values {
				_, reason := a.decode(json.RawMessage(v))
				schema := matches(mustMarshal(a.schema()), json.RawMessage(v))
				lenient := a.Kind == KindCursor || a.Kind == KindDuration // numbers as cursors; words that are no duration
				if (reason == "") != (schema == nil) && !lenient {
					t.Errorf("%s.%s = %s: decoder says %q, schema says %v", tool.Name, a.Name, v, reason, schema)
				}
			}
		}
	}
}

// TestAPI makes a change of the exported surface visible in review.
func TestAPI(t *testing.T) {
	got, err := exec.Command("go", "doc", "-all", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "api.txt", got)
}
