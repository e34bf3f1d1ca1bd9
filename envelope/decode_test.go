package envelope

import (
	"reflect"
	"strings"
	"testing"
)

// SPEC 2.1: every field arrives, also the nested ones.
func TestDecodeReadsEveryField(t *testing.T) {
	want := full()
	want.Schema = Schema
	got, err := Decode(writeJSON(t, want))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}

// SPEC 1.5: an error says where, and a later schema is named.
func TestDecodeErrorsSayWhere(t *testing.T) {
	for line, want := range map[string]string{
		`{"schema":"pairmux.v1","ok":true,"terminals":[{"name":"a"},{"name":3}]}`: "malformed reply: terminals: 1: name: ",
		`{"schema":"pairmux.v9","ok":true}`:                                       `unknown reply schema: found "pairmux.v9", can read "pairmux.v1"`,
		`{"ok":true}`:                                                             "malformed reply: no schema",
		`{"schema":"pairmux.v1","ok":1}`:                                          "malformed reply: no ok",
		`{"schema":"pairmux.v1","ok":tru`:                                         "malformed reply: ",
	} {
		if _, err := Decode([]byte(line)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", line, err, want)
		}
	}
}

func TestDecodeDoesNotKeepItsInput(t *testing.T) {
	line := writeJSON(t, replies()["ls"])
	r, err := Decode(line)
	if err != nil {
		t.Fatal(err)
	}
	want := string(writeJSON(t, r))
	clear(line)
	if got := string(writeJSON(t, r)); got != want {
		t.Errorf("got %s want %s", got, want)
	}
}
