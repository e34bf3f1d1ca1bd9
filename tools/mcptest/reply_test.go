package mcptest

import (
	"encoding/json"
	"testing"

	"github.com/pairmux/pairmux/envelope"
)

// reply is an envelope with the bytes that it came as.
type reply struct {
	*envelope.Reply
	t   *testing.T
	raw []byte
}

// replyOf reads an envelope, which must be valid.
func replyOf(t *testing.T, b []byte) reply {
	t.Helper()
	r, err := envelope.Decode(b)
	if err != nil {
		t.Fatalf("%v in %.300q", err, b)
	}
	if err := r.Validate(); err != nil {
		t.Fatalf("%v in %.300q", err, b)
	}
	return reply{r, t, b}
}

// is fails the test unless the reply has the status.
func (r reply) is(status envelope.Status) reply {
	r.t.Helper()
	if r.Status != status {
		r.t.Fatalf("status %s, want %s: %s", r.Status, status, r.raw)
	}
	return r
}

// says fails the test unless the output is exactly that.
func (r reply) says(output string) reply {
	r.t.Helper()
	if r.Output != output {
		r.t.Fatalf("output %q, want %q: %s", r.Output, output, r.raw)
	}
	return r
}

// exits fails the test unless the reply has that exit code.
func (r reply) exits(code int64) reply {
	r.t.Helper()
	if r.ExitCode == nil || *r.ExitCode != code {
		r.t.Fatalf("want exit code %d: %s", code, r.raw)
	}
	return r
}

// refused fails the test unless the reply is an error of that code.
func (r reply) refused(code envelope.Code) reply {
	r.t.Helper()
	if r.OK || r.Error == nil || r.Error.Code != code {
		r.t.Fatalf("want %s: %s", code, r.raw)
	}
	return r
}

// toolReply is a tool result as clients see it: one text block that is the
// structured content, and isError exactly when the reply is no success.
func toolReply(t *testing.T, text string, content any, isError bool) reply {
	t.Helper()
	b, err := json.Marshal(content)
	if err != nil {
		t.Fatal(err)
	}
	one, _ := json.Marshal(decode(t, []byte(text)))
	two, _ := json.Marshal(decode(t, b))
	if string(one) != string(two) {
		t.Fatalf("text and structured content differ:\n%s\n%s", one, two)
	}
	r := replyOf(t, two)
	if r.OK == isError {
		t.Fatalf("isError %v with %s", isError, two)
	}
	return r
}
