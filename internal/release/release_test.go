package main

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"strings"
	"testing"
	"time"
)

// An image is the same each time, and every blob is what its name says.
func TestImage(t *testing.T) {
	i := image{program: []byte("\x7fELF…"), certificates: []byte("-----BEGIN CERTIFICATE-----"), arch: "arm64", version: "1.2.3", time: time.Unix(1700000000, 0).UTC()}
	first, err := i.archive()
	if err != nil {
		t.Fatal(err)
	}
	if second, _ := i.archive(); !bytes.Equal(first, second) {
		t.Error("another image of the same")
	}
	files := map[string][]byte{}
	for r := tar.NewReader(bytes.NewReader(first)); ; {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Typeflag == tar.TypeReg {
			files[h.Name], _ = io.ReadAll(r)
		}
	}
	for name, data := range files {
		if sum, isBlob := strings.CutPrefix(name, "blobs/sha256/"); isBlob && digest(data) != "sha256:"+sum {
			t.Errorf("%s has the digest %s", name, digest(data))
		}
	}
	var index struct{ Manifests []descriptor }
	if err := json.Unmarshal(files["index.json"], &index); err != nil || len(index.Manifests) != 1 {
		t.Fatalf("%s: %v", files["index.json"], err)
	}
	var manifest struct {
		Config descriptor
		Layers []descriptor
	}
	if err := json.Unmarshal(files["blobs/sha256/"+index.Manifests[0].Digest[7:]], &manifest); err != nil || len(manifest.Layers) != 1 {
		t.Fatalf("%+v: %v", manifest, err)
	}
	config := files["blobs/sha256/"+manifest.Config.Digest[7:]]
	if manifest.Config.Size != len(config) || !bytes.Contains(config, []byte(`"architecture":"arm64"`)) || !bytes.Contains(config, []byte("without CUDA")) {
		t.Errorf("%s", config)
	}
}

// The bill of materials of this very program has what it was built of.
func TestSBOM(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := writeSBOM(&out, self); err != nil {
		t.Fatal(err)
	}
	var bom struct {
		Format     string `json:"bomFormat"`
		Components []component
	}
	if err := json.Unmarshal(out.Bytes(), &bom); err != nil || bom.Format != "CycloneDX" || len(bom.Components) == 0 || bom.Components[0].Name != "std" {
		t.Errorf("%s: %v", out.String(), err)
	}
}

// The image has the certificates that the program looks for.
func TestImageTrusts(t *testing.T) {
	i := image{program: []byte("x"), certificates: []byte("PEM"), time: time.Unix(1700000000, 0).UTC()}
	plain, err := i.layer()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for r := tar.NewReader(bytes.NewReader(plain)); ; {
		h, err := r.Next()
		if err != nil {
			break
		}
		data, _ := io.ReadAll(r)
		found[h.Name] = string(data)
	}
	if found["etc/ssl/certs/ca-certificates.crt"] != "PEM" || found["lacuna"] != "x" {
		t.Errorf("the image has %v", found)
	}
}
