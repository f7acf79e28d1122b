package main

import (
	"net/http"
	"net/http/httptest"
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
	faces := mounts(service)
	handler := service.Handler(server.Guard{Token: "secret"}, faces...)
	for _, m := range faces {
		response := httptest.NewRecorder()
		handler.ServeHTTP(response, httptest.NewRequest("GET", m.Pattern, nil))
		if open := response.Code != http.StatusUnauthorized; open != (m.Pattern == "/") {
			t.Errorf("%s gives %d without a token", m.Pattern, response.Code)
		}
	}
}
