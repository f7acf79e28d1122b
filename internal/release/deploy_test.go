package main

import (
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/oasdiff/yaml3"
)

// The unit of systemd is as closed as docs/operations.md says, by systemd's own measure.
func TestUnitIsClosed(t *testing.T) {
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Skip("no systemd-analyze (Debian: apt install systemd): the unit is not measured")
	}
	out, err := exec.CommandContext(t.Context(), "systemd-analyze", "security", "--offline=true", "--no-pager", "../../scripts/release/lacuna.service").CombinedOutput()
	if err != nil {
		t.Skipf("systemd-analyze measures no files here: %v\n%s", err, out)
	}
	level := regexp.MustCompile(`Overall exposure level for lacuna.service: ([0-9.]+)`).FindSubmatch(out)
	if level == nil {
		t.Fatalf("%s", out)
	}
	if exposure, err := strconv.ParseFloat(string(level[1]), 64); err != nil || exposure >= 3 {
		t.Errorf("exposure %s, want below 3:\n%s", level[1], out)
	}
}

// The service of the compose file drops what it does not need, and its flags are those of the command.
func TestCompose(t *testing.T) {
	data, err := os.ReadFile("../../deploy/compose.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var file map[string]any
	if err := yaml.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	service := at(t, file, "services", "lacuna").(map[string]any)
	if service["read_only"] != true || service["mem_limit"] == nil || at(t, service, "cap_drop", 0) != "ALL" {
		t.Errorf("%v", service)
	}
	source, err := os.ReadFile("../../cmd/lacuna/serve.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range strings.Fields(service["command"].(string)) {
		if name, isFlag := strings.CutPrefix(word, "--"); isFlag && !strings.Contains(string(source), `"`+name+`"`) {
			t.Errorf("serve has no flag --%s", name)
		}
	}
}
