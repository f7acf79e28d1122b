package read

import (
	"maps"
	"slices"
	"strings"
)

// innerXML gives the content of the open element as text, to its end, in the form of
// exclusive canonical XML: an element declares the namespaces that it uses and no
// element around it within the literal has declared.
func (p *rdfXML) innerXML() (string, error) {
	var b strings.Builder
	rendered := []map[string]string{{}}
	tags := []string{}
	for {
		token, err := p.token()
		if err != nil {
			return "", p.unfinished(err)
		}
		switch t := token.(type) {
		case string:
			b.WriteString(textEscapes.Replace(t))
		case *element:
			inner := writeTag(&b, t, rendered[len(rendered)-1])
			rendered, tags = append(rendered, inner), append(tags, t.written)
		case nil:
			if len(tags) == 0 {
				return b.String(), nil
			}
			b.WriteString("</" + tags[len(tags)-1] + ">")
			rendered, tags = rendered[:len(rendered)-1], tags[:len(tags)-1]
		}
	}
}

var (
	textEscapes      = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\r", "&#xD;")
	attributeEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", `"`, "&quot;", "\t", "&#x9;", "\n", "&#xA;", "\r", "&#xD;")
)

// writeTag writes a start tag and gives the namespaces that are declared within it.
func writeTag(b *strings.Builder, e *element, declared map[string]string) map[string]string {
	used := map[string]string{e.prefix: e.space}
	for _, a := range e.attributes {
		if a.prefix != "" && a.prefix != "xml" {
			used[a.prefix] = a.space
		}
	}
	inner := maps.Clone(declared)
	b.WriteString("<" + e.written)
	for _, prefix := range slices.Sorted(maps.Keys(used)) {
		if inner[prefix] == used[prefix] {
			continue
		}
		inner[prefix] = used[prefix]
		name := "xmlns"
		if prefix != "" {
			name += ":" + prefix
		}
		b.WriteString(" " + name + `="` + attributeEscapes.Replace(used[prefix]) + `"`)
	}
	attributes := slices.Clone(e.attributes)
	slices.SortFunc(attributes, func(x, y attribute) int { return strings.Compare(x.space+"\x00"+x.local, y.space+"\x00"+y.local) })
	for _, a := range attributes {
		name := a.local
		if a.prefix != "" {
			name = a.prefix + ":" + a.local
		}
		b.WriteString(" " + name + `="` + attributeEscapes.Replace(a.value) + `"`)
	}
	b.WriteString(">")
	return inner
}
