package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"
)

// image is an OCI image of one static program and the certificates of authorities that it trusts, such as for a database.
// It says by a label that it has no GPU.
type image struct {
	program       []byte
	certificates  []byte // in PEM; nil: none
	arch, version string
	time          time.Time
}

// Media types of the OCI image format.
const (
	manifestType = "application/vnd.oci.image.manifest.v1+json"
	configType   = "application/vnd.oci.image.config.v1+json"
	layerType    = "application/vnd.oci.image.layer.v1.tar+gzip"
)

// descriptor points at a blob.
type descriptor struct {
	MediaType   string            `json:"mediaType"`
	Digest      string            `json:"digest"`
	Size        int               `json:"size"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

// archive is the image as an OCI image layout in a tar archive, as podman load, skopeo and crane take it.
func (i image) archive() ([]byte, error) {
	plain, err := i.layer()
	if err != nil {
		return nil, err
	}
	layer, err := compressed(plain)
	if err != nil {
		return nil, err
	}
	l := layout{files: map[string][]byte{"oci-layout": []byte(`{"imageLayoutVersion":"1.0.0"}`)}}
	layerAt := l.blob(layerType, layer)
	config, err := json.Marshal(i.config(digest(plain)))
	if err != nil {
		return nil, err
	}
	configAt := l.blob(configType, config)
	manifest, err := json.Marshal(map[string]any{"schemaVersion": 2, "mediaType": manifestType, "config": configAt, "layers": []descriptor{layerAt}})
	if err != nil {
		return nil, err
	}
	manifestAt := l.blob(manifestType, manifest)
	manifestAt.Annotations = map[string]string{"org.opencontainers.image.ref.name": i.version}
	if l.files["index.json"], err = json.Marshal(map[string]any{"schemaVersion": 2, "manifests": []descriptor{manifestAt}}); err != nil {
		return nil, err
	}
	return l.tar(i.time)
}

func (i image) config(layer string) map[string]any {
	created := i.time.Format(time.RFC3339)
	return map[string]any{
		"architecture": i.arch, "os": "linux", "created": created,
		"config": map[string]any{
			"User": "65534:65534", "WorkingDir": "/data",
			"Entrypoint": []string{"/lacuna"}, "Cmd": []string{"serve", "--demo", "--addr", "127.0.0.1:8420"},
			"Labels": map[string]string{
				"org.opencontainers.image.version": i.version, "org.opencontainers.image.source": "https://github.com/lacuna-kg/lacuna",
				"org.opencontainers.image.description": "Lacuna, a static build without CUDA: it runs on the CPU",
			},
		},
		"rootfs":  map[string]any{"type": "layers", "diff_ids": []string{layer}},
		"history": []any{map[string]any{"created": created, "created_by": "scripts/release.sh"}},
	}
}

// layer has the program, and folders to work and to put passing files in.
func (i image) layer() ([]byte, error) {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, folder := range []struct {
		name string
		mode int64
	}{{"data/", 0o777}, {"etc/", 0o755}, {"etc/ssl/", 0o755}, {"etc/ssl/certs/", 0o755}, {"tmp/", 0o1777}} {
		if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: folder.name, Mode: folder.mode, ModTime: i.time}); err != nil {
			return nil, err
		}
	}
	for _, file := range []struct {
		name string
		mode int64
		data []byte
	}{{"etc/ssl/certs/ca-certificates.crt", 0o644, i.certificates}, {"lacuna", 0o755, i.program}} {
		if file.data == nil {
			continue
		}
		if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: file.name, Mode: file.mode, Size: int64(len(file.data)), ModTime: i.time}); err != nil {
			return nil, err
		}
		if _, err := w.Write(file.data); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return out.Bytes(), err
}

func compressed(data []byte) ([]byte, error) {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	err = w.Close()
	return out.Bytes(), err
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// layout is the files of an image layout.
type layout struct {
	files map[string][]byte
	blobs []string // their names, in the order they came
}

func (l *layout) blob(kind string, data []byte) descriptor {
	d := digest(data)
	name := "blobs/sha256/" + d[len("sha256:"):]
	l.files[name] = data
	l.blobs = append(l.blobs, name)
	return descriptor{MediaType: kind, Digest: d, Size: len(data)}
}

func (l *layout) tar(at time.Time) ([]byte, error) {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, folder := range []string{"blobs/", "blobs/sha256/"} {
		if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: folder, Mode: 0o755, ModTime: at}); err != nil {
			return nil, err
		}
	}
	for _, name := range append([]string{"oci-layout", "index.json"}, l.blobs...) {
		if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o644, Size: int64(len(l.files[name])), ModTime: at}); err != nil {
			return nil, err
		}
		if _, err := w.Write(l.files[name]); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return out.Bytes(), err
}
