package detect

import (
	"strings"
	"testing"
)

// wordings are last lines of real programs, one a row. Kinds with none are
// left to the kernel.
var wordingTable = []struct {
	want  Asking
	lines []string
}{
	{AskSecret, []string{
		"Password: ", "Password:", "password for root@host:", "ann@host's password: ", "Password for user postgres: ",
		"Password for 'https://ann@git.example': ", "(ann@host) Password: ", "Enter password: ", "New password: ",
		"Retype new password: ", "(current) UNIX password: ", "Current Kerberos password: ", "Password (again): ",
		"BECOME password[defaults to SSH password]: ", "Vault password (default): ", "Enter Export Password:",
		"Verifying - Enter Export Password:", "Please enter the password you want to use: ", "Password : ",
		"Enter passphrase for key '/k/id': ", "Enter passphrase (empty for no passphrase): ", "Enter same passphrase again: ",
		"Enter PEM pass phrase:", "Enter pass phrase for k.pem:", "Passcode:", "Passcode or option (1-3): ",
		"Enter PIN: ", "PIN for smart card:", "Enter PIN for 'YubiKey': ", "PIN code: ",
		"One-time password: ", "One-time code:", "This operation requires a one-time password: ", "Verification code: ",
		"Security code:", "Access code: ", "Two-factor authentication code: ", "Authentication code:", "SMS code: ",
		"Enter the code from your authenticator app: ", "Enter MFA code for arn:aws:iam::1:mfa/ann: ",
		"OTP: ", "Enter OTP: ", "MFA: ", "MFA token: ", "2FA code: ", "2FA: ", "TOTP:",
		"API key: ", "Enter your API key (input hidden): ", "api_key: ", "Private key: ", "Encryption key:", "Secret key: ",
		"AWS Secret Access Key [None]: ", "Secret: ", "Access token: ", "Personal access token: ",
		"Paste your authentication token: ", "Token: ", "GitHub tokens: ", "Client secret: ", "client_secret:",
		"Подтвердите пароль: ", "Passwort: ", "Mot de passe\u00a0: ", "Contraseña: ", "パスワード:", "密码：", "비밀번호: ", "Hasło: ",
		"[sudo] password for ann: ", "[sudo: authenticate] Password: ",
	}},
	{AskConfirm, []string{
		"Do you want to continue? [Y/n] ", "Proceed [y/N]? ", "Proceed (Y/n)? ", "Overwrite (y/n)?", "Stage this hunk [y,n,q,a,d,e,?]? ",
		"[y/n/a] ", "Continue? [Y/n/?] ", "Is this ok [y/d/N]: ", "connecting (yes/no/[fingerprint])? ", "(yes/no) ", "[yes|no] ",
		"*** foo.conf (Y/I/N/O/D/Z) [default=N] ? ", "Continue? [y/n/v/...? shows all options] (y): ", "Save password (yes/no)? ",
		"Generate a new token (y/n): ", "replace x? [y]es, [n]o, [A]ll, [N]one, [r]ename: ", "(Y)es or (N)o? ", "[N/y] ",
		"Möchten Sie fortfahren? [J/n] ", "Voulez-vous continuer ? [O/n] ", "¿Desea continuar? [S/n] ", "Хотите продолжить? [Д/н] ",
		"Press any key to continue . . . ", "Press any key to continue", "Press ENTER to continue", "Press [ENTER] to continue or Ctrl-c to cancel adding it.",
		"Press RETURN/ENTER to continue or any other key to abort:", "Hit enter to go on: ", "-- Press any key --",
	}},
	{AskPager, []string{"--More--", "--More--(12%)", "-- More -- ", "(END)", ":", "lines 1-50/120 (END)", "lines 1-23", " Manual page ls(1) line 1 (press h for help or q to quit)", "file.txt (END) "}},
	{AskREPL, []string{
		">>> ", "... ", "In [3]: ", "mysql> ", "sqlite> ", "   ...> ", "(gdb) ", "(lldb) ", "(Pdb) ", "(dlv) ", "ipdb> ", "postgres=# ", "ann=> ", "postgres-# ", "irb(main):001:0> ",
		"MariaDB [(none)]> ", "mysql [shop]> ", "iex(1)> ", "ghci> ", "scala> ", "julia> ", "> ", "SQL> ", "127.0.0.1:6379> ", "php > ", "ftp> ", "sftp> ",
		"1> ", "?- ", "user=> ", "[1] pry(main)> ", "jshell> ", "cqlsh:shop> ", "lua> ",
	}},
	{AskShell, []string{"bash-5.2# ", "ann@host:~/src$ ", "$ ", "# ", "host% ", "/tmp # ", "[ann@host src]$ ", "ann@host ~> ", "❯ ", "➜  src ❯ ", "~/src λ "}},
	{"", []string{
		"", "Building... ", "total: ", "file:", "50%", "Downloading 12.5 MB 50%", " 45 % ", "done", "compiling x.c", "Resetting the password for you", "wrong password", "hashing passwords",
		"Pin the version to: ", "Password length: ", "Password hint: ", "Password file: ", "Token name: ", "Number of tokens: ", "Path to your private key: ", "Private key file: ",
		"AWS Access Key ID [None]: ", "Forgot your password? Your e-mail: ", "Secret santa's name: ", "Username: ", "Serial number (s/n): ", "shipping: ", "spin: ", "https://host:",
		"error: invalid token", "Enter a number: ", "[1/3] ", "(1/10) Installing", "[ok] ", "Press release", "a -> b", "<div>", "Fetching https://x/y>",
	}},
}

func TestWordingClassesRealPrompts(t *testing.T) {
	for _, row := range wordingTable {
		for _, line := range row.lines {
			if got, _ := Wording(line, nil); got != row.want {
				t.Errorf("%q: %q, want %q", line, got, row.want)
			}
		}
	}
}

// The prompts of sudo 1.9's translations, with %p as they have it.
func TestWordingKnowsSudoInEveryLanguage(t *testing.T) {
	for _, line := range []string{
		"[sudo] contraseña de %p: ", "[sudo] contrasenya per a %p: ", "[sudo] heslo pro %p: ", "[sudo] adgangskode for %p: ", "[sudo] Passwort für %p: ",
		"[sudo] pasvorto por %p: ", "[sudo] contraseña para %p: ", "[sudo] %p-käyttäjän salasana: ", "[sudo] Mot de passe de %p\u00a0: ", "[sudo] password par %p: ",
		"[sudo] lozinka za %p: ", "[sudo] %p jelszava: ", "[sudo] password di %p: ", "[sudo] %p のパスワード:", "[sudo] პაროლი %p-სთვის: ", "[sudo] %p 암호: ",
		"[sudo] passord for %p: ", "[sudo] wachtwoord voor %p: ", "[sudo] hasło użytkownika %p: ", "[sudo] senha para %p: ", "[sudo] parola pentru %p: ",
		"[sudo] пароль для %p: ", "[sudo] heslo pre používateľa %p: ", "[судо] лозинка за корисника %p: ", "[sudo] lösenord för %p: ", "[sudo] пароль до %p: ",
		"[sudo] mật khẩu dành cho %p: ", "[sudo] %p 的密码：", "[sudo] %p 的密碼：",
	} {
		line = strings.ReplaceAll(line, "%p", "ann")
		if got, _ := Wording(line, nil); got != AskSecret {
			t.Errorf("%q: %q", line, got)
		}
	}
}

func TestWordingTakesTheUsersExtension(t *testing.T) {
	extra, err := SecretPattern(`Widget code>$`)
	if err != nil {
		t.Fatal(err)
	}
	if got, ok := Wording("Widget code> ", extra); got != AskSecret || !ok {
		t.Errorf("%q %v", got, ok)
	}
	if got, _ := Wording("Widget code: ", extra); got != "" {
		t.Errorf("%q", got)
	}
}

func TestSecretPatternRefusesNonsense(t *testing.T) {
	if _, err := SecretPattern("("); err == nil {
		t.Error("no error")
	}
	if re, err := SecretPattern(""); re != nil || err != nil {
		t.Errorf("%v %v", re, err)
	}
}
