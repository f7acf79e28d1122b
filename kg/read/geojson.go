package read

import (
	"encoding/json"
	"regexp"
	"slices"
)

// Maps in JSON: GeoJSON has a list of features, TopoJSON lists of geometries, each with properties. These are the columns
// of a table; of the shape only its kind is kept, and of a point where it lies, as a list of numbers names nothing.

// isMap begins a text of either.
var isMap = regexp.MustCompile(`"type"\s*:\s*"(Topology|FeatureCollection)"`)

// member gives a member of an object, nil where it has none of that name.
func (o jsonObject) member(name string) any {
	if at := slices.IndexFunc(o, func(m jsonMember) bool { return m.name == name }); at >= 0 {
		return o[at].value
	}
	return nil
}

// text is a member that is a text.
func (o jsonObject) text(name string) (text string) {
	if raw, ok := o.member(name).(json.RawMessage); ok {
		_ = json.Unmarshal(raw, &text) // which leaves what is none empty
	}
	return text
}

// isMap takes a map for its tables, and tells whether the object is one.
func (n *nested) isMap(table string, o jsonObject) bool {
	n.isRewritten = true
	switch o.text("type") {
	case "FeatureCollection":
		features, ok := o.member("features").([]any)
		if ok {
			n.add(table, n.shapes(features), nil)
		}
		return ok
	case "Topology":
		objects, ok := o.member("objects").(jsonObject)
		for _, m := range objects {
			shape, _ := m.value.(jsonObject)
			geometries, several := shape.member("geometries").([]any)
			if !several { // which its own name tells from others
				name, _ := json.Marshal(m.name)
				geometries = []any{append(jsonObject{{"id", json.RawMessage(name)}}, shape...)}
			}
			n.add(m.name, n.shapes(geometries), nil)
		}
		return ok
	}
	n.isRewritten = false
	return false
}

// shapes makes rows of features or geometries.
func (n *nested) shapes(list []any) []any {
	rows := make([]any, len(list))
	for i, value := range list {
		rows[i] = value
		if o, ok := value.(jsonObject); ok {
			rows[i] = n.shape(o)
		}
	}
	return rows
}

// shape is a row: its id, its properties, the kind of its geometry and, of a point, its place.
func (n *nested) shape(o jsonObject) (row jsonObject) {
	put := func(name string, value any) {
		if row.member(name) == nil {
			row = append(row, jsonMember{name, value})
		}
	}
	if id := o.member("id"); id != nil {
		put("id", id)
	}
	if properties, ok := o.member("properties").(jsonObject); ok {
		for _, m := range properties {
			put(m.name, m.value)
		}
	}
	geometry, isFeature := o.member("geometry").(jsonObject)
	if !isFeature {
		geometry = o
	}
	if kind := geometry.text("type"); kind != "" && kind != "Feature" {
		put("geometry", geometry.member("type"))
	}
	coordinates, isList := geometry.member("coordinates").([]any)
	if geometry.text("type") != "Point" || len(coordinates) < 2 {
		if isList || geometry.member("arcs") != nil {
			n.shapeless++
		}
		return row
	}
	for i, name := range []string{"longitude", "latitude", "altitude"}[:min(3, len(coordinates))] {
		put(name, coordinates[i])
	}
	return row
}
