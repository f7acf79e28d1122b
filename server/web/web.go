// Package web is the page of the workbench: a query editor, the operator tree with the
// fuzzy set of every step, answers and their reasons, over the HTTP API of package server.
//
// Its source is TypeScript in src; built/ holds what esbuild makes of it, committed and
// embedded, so that building Lacuna needs Go alone. Nothing on the page is loaded from elsewhere.
package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"net/http"
	"path"
	"strings"
	"time"
)

//go:generate npm ci --silent
//go:generate npm run --silent build

//go:embed built/index.html built/app.js built/style.css built/icon.svg built/sparql.html built/sparql.js built/sparql-style.css
var built embed.FS

// policy lets the page load and ask nothing but what this server gives.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// asset is a file of the page, ready to be sent.
type asset struct {
	name, contentType string
	plain, zipped     []byte
	tag               string // a digest of the content
	immutable         bool   // its address holds the digest
}

var contentTypes = map[string]string{
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".svg":  "image/svg+xml",
}

// Handler serves the page at "/" and that of SPARQL at "/query". What the page refers to stands under addresses that
// hold a digest of their content, which browsers may keep for ever; the page itself they
// ask for again each time, and get it only if it changed.
func Handler() http.Handler {
	mux := http.NewServeMux()
	page, sparql := read("index.html"), read("sparql.html")
	for _, name := range []string{"app.js", "style.css", "icon.svg", "sparql.js", "sparql-style.css"} {
		file := newAsset(name, read(name), true)
		address := "assets/" + file.tag + "/" + name
		// Relative, so that the page works under any prefix of a proxy.
		page = bytes.ReplaceAll(page, []byte(`"`+name+`"`), []byte(`"`+address+`"`))
		sparql = bytes.ReplaceAll(sparql, []byte(`"`+name+`"`), []byte(`"`+address+`"`))
		mux.Handle("GET /"+address, file)
	}
	mux.Handle("GET /{$}", newAsset("index.html", page, false))
	mux.Handle("GET /query", newAsset("sparql.html", sparql, false))
	return mux
}

// read gives an embedded file; that it exists was settled when the program was built.
func read(name string) []byte {
	data, err := built.ReadFile("built/" + name)
	if err != nil {
		panic(err)
	}
	return data
}

func newAsset(name string, data []byte, immutable bool) *asset {
	digest := sha256.Sum256(data)
	return &asset{
		name: name, contentType: contentTypes[path.Ext(name)], plain: data, zipped: zip(data),
		tag: base64.RawURLEncoding.EncodeToString(digest[:9]), immutable: immutable,
	}
}

func zip(data []byte) []byte {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err == nil {
		_, err = w.Write(data)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		panic(fmt.Sprintf("web: compressing in memory: %v", err))
	}
	return out.Bytes()
}

func (a *asset) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", a.contentType)
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Vary", "Accept-Encoding")
	h.Set("Cache-Control", "no-cache")
	if a.immutable {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	data, tag := a.plain, a.tag
	if acceptsGzip(r.Header.Get("Accept-Encoding")) {
		h.Set("Content-Encoding", "gzip")
		data, tag = a.zipped, a.tag+"-gzip" // an ETag stands for the bytes that are sent
	}
	h.Set("ETag", `"`+tag+`"`)
	http.ServeContent(w, r, a.name, time.Time{}, bytes.NewReader(data))
}

func acceptsGzip(header string) bool {
	for _, coding := range strings.Split(header, ",") {
		name, weight, _ := strings.Cut(coding, ";")
		if strings.TrimSpace(name) == "gzip" && strings.ReplaceAll(weight, " ", "") != "q=0" {
			return true
		}
	}
	return false
}
