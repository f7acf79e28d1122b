package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"text/template"

	"github.com/oasdiff/yaml3"
)

const chart = "../../deploy/helm/lacuna"

// functions are those of Helm that the chart uses; where helm is at hand it renders the chart itself, too.
var functions = template.FuncMap{
	"default": func(usual, given any) any {
		if given == nil || given == "" {
			return usual
		}
		return given
	},
	"quote": func(v any) string { return fmt.Sprintf("%q", fmt.Sprint(v)) },
	"toJson": func(v any) (string, error) {
		data, err := json.Marshal(v)
		return string(data), err
	},
}

func readYAML(t *testing.T, file string) (value map[string]any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(chart, file))
	if err == nil {
		err = yaml.Unmarshal(data, &value)
	}
	if err != nil {
		t.Fatal(file, err)
	}
	return value
}

// render gives the objects of the chart by their kinds.
func render(t *testing.T, change func(values map[string]any)) map[string]map[string]any {
	t.Helper()
	values := readYAML(t, "values.yaml")
	change(values)
	about := readYAML(t, "Chart.yaml")
	with := map[string]any{"Values": values, "Release": map[string]any{"Name": "films"}, "Chart": map[string]any{"AppVersion": about["appVersion"]}}
	files, err := filepath.Glob(filepath.Join(chart, "templates/*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	objects := map[string]map[string]any{}
	for _, file := range files {
		parsed, err := template.New(filepath.Base(file)).Option("missingkey=error").Funcs(functions).ParseFiles(file)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := parsed.Execute(&out, with); err != nil {
			t.Fatal(err)
		}
		var object map[string]any
		if err := yaml.Unmarshal(out.Bytes(), &object); err != nil {
			t.Fatalf("%s: %v\n%s", file, err, out.String())
		}
		if kind, ok := object["kind"].(string); ok {
			objects[kind] = object
		}
	}
	return objects
}

// at walks a path of keys and numbers.
func at(t *testing.T, value any, path ...any) any {
	t.Helper()
	for _, step := range path {
		switch step := step.(type) {
		case string:
			value = value.(map[string]any)[step]
		case int:
			value = value.([]any)[step]
		}
		if value == nil {
			t.Fatalf("nothing at %v of %v", step, path)
		}
	}
	return value
}

func TestChart(t *testing.T) {
	container := func(objects map[string]map[string]any) any {
		return at(t, objects["Deployment"], "spec", "template", "spec", "containers", 0)
	}
	arguments := func(objects map[string]map[string]any) string {
		return fmt.Sprint(at(t, container(objects), "args"))
	}
	usual := render(t, func(map[string]any) {})
	if got := arguments(usual); got != "[serve --addr=0.0.0.0:8420 --empty --facts=/facts/journal]" {
		t.Errorf("serves by %s", got)
	}
	selector := at(t, usual["Service"], "spec", "selector", "app.kubernetes.io/instance")
	if selector != at(t, usual["Deployment"], "spec", "template", "metadata", "labels", "app.kubernetes.io/instance") {
		t.Error("the service finds no pod")
	}
	if at(t, usual["Deployment"], "spec", "template", "spec", "volumes", 1, "persistentVolumeClaim", "claimName") != at(t, usual["PersistentVolumeClaim"], "metadata", "name") {
		t.Error("the claim of facts is another")
	}
	if at(t, container(usual), "env", 0, "name") != "LACUNA_TOKEN" || at(t, container(usual), "readinessProbe", "httpGet", "path") != "/readyz" {
		t.Error("no token, or no probe")
	}
	pod := at(t, usual["Deployment"], "spec", "template", "spec").(map[string]any)
	if pod["automountServiceAccountToken"] != false || at(t, pod, "securityContext", "seccompProfile", "type") != "RuntimeDefault" || at(t, pod, "volumes", 0, "emptyDir", "sizeLimit") != "1Gi" {
		t.Errorf("the pod has more than it needs: %v", pod)
	}
	for _, probe := range []string{"startupProbe", "readinessProbe", "livenessProbe"} {
		at(t, container(usual), probe, "timeoutSeconds")
	}
	if at(t, usual["NetworkPolicy"], "spec", "podSelector", "matchLabels", "app.kubernetes.io/instance") != selector || usual["PodDisruptionBudget"] != nil {
		t.Error("the network is open, or the only pod may not be moved")
	}
	other := render(t, func(values map[string]any) {
		values["graph"], values["graphsClaim"], values["model"], values["readOnly"] = "/graphs/films.lacuna", "graphs", "exact", true
		values["facts"].(map[string]any)["enabled"] = false
		values["extraArgs"], values["memoryLimit"], values["readTokenSecret"] = []any{"--cors=https://yasgui.org"}, "900MiB", "reader"
		values["networkPolicy"].(map[string]any)["enabled"] = false
	})
	if got := arguments(other); got != "[serve --addr=0.0.0.0:8420 --graph=/graphs/films.lacuna --model=exact --read-only --cors=https://yasgui.org]" {
		t.Errorf("serves by %s", got)
	}
	if other["PersistentVolumeClaim"] != nil || other["NetworkPolicy"] != nil {
		t.Error("a claim for facts that are not kept, or a policy that nobody wants")
	}
	if env := fmt.Sprint(at(t, container(other), "env")); !strings.Contains(env, "GOMEMLIMIT") || !strings.Contains(env, "900MiB") || !strings.Contains(env, "LACUNA_READ_TOKEN") {
		t.Errorf("the environment is %s", env)
	}
	many := render(t, func(values map[string]any) {
		values["replicas"], values["facts"].(map[string]any)["databaseSecret"] = 3, "films-database"
	})
	if got := arguments(many); got != "[serve --addr=0.0.0.0:8420 --empty]" || at(t, many["Deployment"], "spec", "replicas") != 3 || many["PersistentVolumeClaim"] != nil {
		t.Errorf("facts in a database: %s, %v", got, many)
	}
	if at(t, many["PodDisruptionBudget"], "spec", "maxUnavailable") != 1 || len(at(t, many["NetworkPolicy"], "spec", "egress").([]any)) != 2 {
		t.Error("all replicas may be taken away at once, or the database cannot be reached")
	}
	if env := at(t, container(many), "env", 1); at(t, env, "name") != "LACUNA_FACTS" || at(t, env, "valueFrom", "secretKeyRef", "name") != "films-database" {
		t.Errorf("facts in a database: %v", env)
	}
}

// The flags of the chart are those of the command.
func TestChartFlagsExist(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(chart, "templates/deployment.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var sources strings.Builder
	for _, file := range []string{"cmd/lacuna/serve.go", "internal/command/graph.go", "internal/command/model.go", "internal/command/reading.go"} {
		data, err := os.ReadFile(filepath.Join("../..", file))
		if err != nil {
			t.Fatal(err)
		}
		sources.Write(data)
	}
	for _, field := range strings.Fields(string(text)) {
		if name, ok := strings.CutPrefix(field, "--"); ok {
			name, _, _ = strings.Cut(name, "=")
			if !strings.Contains(sources.String(), `"`+name+`"`) {
				t.Errorf("serve has no flag --%s", name)
			}
		}
	}
}

// Helm itself has the last word, where it is installed.
func TestChartByHelm(t *testing.T) {
	if _, err := exec.LookPath("helm"); err != nil {
		t.Skip("helm is missing (go install helm.sh/helm/v3/cmd/helm@v3.22.0): the chart is checked by our own reading of it only")
	}
	other := []string{"--set=graph=/graphs/films.lacuna,graphsClaim=graphs,model=exact,readOnly=true,facts.enabled=false", "--set=extraArgs={--cors=https://yasgui.org}"}
	many := []string{"--set=replicas=3,facts.databaseSecret=films-database"}
	for _, arguments := range [][]string{
		append([]string{"lint", "--strict", chart}, many...), append([]string{"template", "films", chart}, many...),
		{"lint", "--strict", chart}, append([]string{"lint", "--strict", chart}, other...),
		{"template", "films", chart}, append([]string{"template", "films", chart}, other...),
	} {
		if out, err := exec.CommandContext(t.Context(), "helm", arguments...).CombinedOutput(); err != nil {
			t.Errorf("helm %s: %v\n%s", strings.Join(arguments, " "), err, out)
		} else if arguments[0] == "template" && !strings.Contains(string(out), "kind: Deployment") {
			t.Errorf("helm %s gives no deployment:\n%s", strings.Join(arguments, " "), out)
		}
	}
}
