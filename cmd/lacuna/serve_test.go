package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/internal/laureates"
	"github.com/lacuna-kg/lacuna/server"
)

// TestOnlyThePageIsOpen asks for each face of the service without the token that it needs.
func TestOnlyThePageIsOpen(t *testing.T) {
	service, err := server.New(t.Context(), server.Options{Engine: laureates.Engine(t, lacuna.Turing)})
	if err != nil {
		t.Fatal(err)
	}
	defer service.Close()
	faces := mounts(service, nil, 0)
	handler := service.Handler(server.Guard{Tokens: []string{"secret"}}, faces...)
	for _, m := range faces {
		response := httptest.NewRecorder()
		handler.ServeHTTP(response, httptest.NewRequest("GET", m.Pattern, nil))
		if open := response.Code != http.StatusUnauthorized; open != (m.Pattern == "/") {
			t.Errorf("%s gives %d without a token", m.Pattern, response.Code)
		}
	}
}

// TestTokens reads tokens from a file or the environment, without the blanks and line ends around them.
func TestTokens(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tokens")
	for _, c := range []struct {
		file, variable string // "" for none
		want           []string
		wrong          bool
	}{
		{"", "", nil, false},
		{"", " secret\n", []string{"secret"}, false},
		{"", " \n", nil, true},
		{"one\n\n two \r\n", "ignored", []string{"one", "two"}, false},
		{"\n", "", nil, true},
	} {
		t.Setenv("LACUNA_TOKEN", c.variable)
		name := ""
		if c.file != "" {
			name = file
			if err := os.WriteFile(file, []byte(c.file), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := tokens(name, "LACUNA_TOKEN"); !slices.Equal(got, c.want) || (err != nil) != c.wrong {
			t.Errorf("%q and %q: %q, %v", c.file, c.variable, got, err)
		}
	}
	t.Setenv("LACUNA_TOKEN", "")
	t.Setenv("LACUNA_READ_TOKEN", "reader")
	if _, err := (&serveFlags{}).guard(); err == nil {
		t.Error("nobody may change facts, and nobody is told")
	}
	if guard, err := (&serveFlags{readOnly: true}).guard(); err != nil || !guard.Closed() {
		t.Errorf("%+v, %v", guard, err)
	}
}
