package detect

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// Wording classes the unfinished last line of an output by what it says, in the
// order in which a mistake would be dear: a question that has yes and no as its
// answers, a secret, a key to press, a pager, a REPL, a shell. extra, when not
// nil, adds to the wordings of secrets. It says nothing about whether anybody
// waits: [Judge] does. Safe for concurrent use.
func Wording(line string, extra *regexp.Regexp) (Asking, bool) {
	line = strings.TrimRightFunc(line, unicode.IsSpace)
	if line == "" || len(line) > 1000 {
		return "", false
	}
	if extra != nil && extra.MatchString(line) {
		return AskSecret, true
	}
	w := known()
	switch {
	case w.yesNo(line):
		return AskConfirm, true
	case w.asksSecret(line):
		return AskSecret, true
	case w.press.MatchString(line):
		return AskConfirm, true
	case w.pager.MatchString(line):
		return AskPager, true
	case w.shell.MatchString(line):
		return AskShell, true
	case w.repl.MatchString(line):
		return AskREPL, true
	}
	return "", false
}

// wordings are the compiled expressions.
type wordings struct {
	secret, measure, foreign  *regexp.Regexp
	options, initials, press  *regexp.Regexp
	pager, repl, shell, split *regexp.Regexp
}

// A secret's name, and what may stand between it and the colon. What else
// follows the name makes another thing of it: a password's length, a token's
// name, a key's file.
const (
	secretNoun = `pass[ -]?(?:word|phrase|code|wd)s?` +
		`|pin(?:[ -](?:code|number))?` +
		`|(?:one[- ]time|verification|security|access|auth(?:entication|ori[sz]ation)?|confirmation|sms|2fa|mfa|t?otp` +
		`|two[- ](?:factor|step)(?: authentication| verification)?|backup|recovery)[ _-](?:code|password|pass|pin|token|key)s?` +
		`|code from (?:your|the) (?:authenticator|phone|device|sms|text)[^:：]{0,20}` +
		`|t?otp|mfa|2fa` +
		`|(?:api|private|encryption|decryption|master|secret(?:[ _-]access)?)[ _-]?key` +
		`|tokens?|(?:client[ _-])?secrets?`
	secretTail = `(?:\s*(?:\([^()]*\)|\[[^\[\]]*\])` +
		`|\s+(?:for|to|from|of|on|at|in|with|you|that|which|again|below|here|now|twice|confirmation|or|and|please)\b.{0,200})*`
)

// The word for a password in the languages that sudo and PAM are translated to.
const foreignPassword = `contrase(?:ñ|ny)a|heslo|geslo|adgangskode|passwort|kennwort|pasvorto|pasahitza|salasana|mot de passe|lozinka|jelszó|jelszava` +
	`|パスワード|პაროლი|암호|비밀번호|passord|wachtwoord|hasło|senha|palavra-passe|parol[aăă]|парол[ьа]|лозинка|lösenord|parool|slaptažodis` +
	`|şifr[eə]|mật khẩu|κωδικός|密[码碼]|口令|ססמה|סיסמה|كلمة (?:السر|المرور)|पासवर्ड|kata sandi`

var known = sync.OnceValue(func() *wordings {
	return &wordings{
		secret: regexp.MustCompile(`(?i)(?:^|[^\pL\pN])(?:` + secretNoun + `)(?:` + secretTail + `)[\s\p{Zs}]*[:：]$`),
		// What is asked for is a number or a place, and not the secret itself.
		measure: regexp.MustCompile(`(?i)\b(?:(?:path|location|name|number|count|length|size|type|kind|file|id)\s+(?:to|of|for|with|in)\s+(?:your |the |a )?(?:\w+ )?|(?:max|min)(?:imum)? )$`),
		foreign: regexp.MustCompile(`(?i)^\[(?:sudo|судо)\][^:：]{1,80}[:：]$|(?:` + foreignPassword + `)[^:：?!]{0,60}[:：]$`),
		options: regexp.MustCompile(`[\[(]\s*(\[?[\pL?.][^\[\]()/|,]{0,40}\]?(?:\s*[/|,]\s*\[?[\pL?.][^\[\]()/|,]{0,40}\]?)+)\s*[\])]` +
			`\s*(?:[\[(](?:default[^\])]*|\pL{1,5})[\])])?\s*[?:>]{0,2}$`),
		split:    regexp.MustCompile(`\s*[/|,]\s*`),
		initials: regexp.MustCompile(`(?i)[\[(]y[\])]es\b.*[\[(]n[\])]o\b.{0,80}$`),
		press:    regexp.MustCompile(`(?i)\b(?:press|hit)\s+(?:the\s+)?[\[<(]?(?:any key|enter|return|space)\b.{0,80}$`),
		pager:    regexp.MustCompile(`^(?::|.{0,200}-- ?More ?--.{0,60}|(?:.{0,200} )?\(END\)|lines [0-9]+-[0-9]+.{0,60}|\s?Manual page .{1,100} line [0-9]+.{0,60})$`),
		shell:    regexp.MustCompile(`^(?:(?:.{0,200}[\w\])~/:. ])?[$#]|(?:.{0,200}[A-Za-z\])~/:-] ?)?%|\S+@\S+ \S+>|(?:.{0,200} )?[❯λ➜»])$`),
		repl: regexp.MustCompile(`^(?:>>>|\s*\.\.\.>?|In \[[0-9]+\]:|>|\?-|[0-9]+>|\([A-Za-z][\w.:-]{0,30}\)` +
			`|[A-Za-z][\w.-]{0,40}(?::[\w./-]{1,40})?(?: ?\[[^\]]*\]| ?\([^)]*\)| )?>|[\w-]{1,40}[=\-'"(*^!$][>#]` +
			`|irb\([^)]*\):[0-9]+(?::[0-9]+)?[:>*"'\w]*>?|[0-9.]+:[0-9]+(?:\[[0-9]+\])?>|\[[0-9]+\] [\w.]+\([^)]*\)>)$`),
	}
})

func (w *wordings) asksSecret(line string) bool {
	if last := line[len(line)-1]; last != ':' && !strings.HasSuffix(line, "：") {
		return false
	}
	if m := w.secret.FindStringIndex(line); m != nil {
		return !w.measure.MatchString(line[:m[0]+1])
	}
	return w.foreign.MatchString(line)
}

// yesNo reports whether the line ends in a list of answers with yes and no
// among them.
func (w *wordings) yesNo(line string) bool {
	m := w.options.FindStringSubmatch(line)
	if m == nil {
		return w.initials.MatchString(line)
	}
	words := w.split.Split(strings.TrimSpace(m[1]), -1)
	has := func(s string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.EqualFold(w, s) })
	}
	if has("y") && has("n") || has("yes") && has("no") {
		return true
	}
	for _, p := range [][2]string{
		{"ja", "nein"}, {"ja", "nej"}, {"ja", "nee"}, {"oui", "non"}, {"sí", "no"}, {"si", "no"}, {"sim", "não"}, {"tak", "nie"},
		{"да", "нет"}, {"evet", "hayır"}, {"ano", "ne"}, {"kyllä", "ei"}, {"igen", "nem"},
	} {
		if has(p[0]) && has(p[1]) {
			return true
		}
	}
	// One letter each may be anything; the capital one marks a default.
	if len(words) != 2 {
		return false
	}
	a, b := words[0], words[1]
	if (strings.ToUpper(a) == a) == (strings.ToUpper(b) == b) {
		return false
	}
	return slices.Contains([]string{"j/n", "o/n", "s/n", "t/n", "д/н", "e/h", "k/e", "a/n", "i/n"}, strings.ToLower(a+"/"+b))
}

// SecretPattern compiles an expression (RE2) that extends the wordings of
// secrets. An empty one is none: nil, nil.
func SecretPattern(expr string) (*regexp.Regexp, error) {
	if expr == "" {
		return nil, nil
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		return nil, fmt.Errorf("secret prompt expression %q: %w", expr, err)
	}
	return re, nil
}
