package read

import (
	"regexp"
	"slices"
	"strings"
)

// Neo4j's tables of nodes say themselves what their columns are: "personId:ID(Person)", "born:int", ":LABEL".

// neo4jNodes is the plan of such a table.
func neo4jNodes(t *TablePlan, s *survey) *draft {
	d := &draft{TablePlan: *t, survey: s, key: slices.IndexFunc(s.names, isKeyCell), stated: true}
	d.Rows, d.Per, d.Seen, d.Sample = RowsEntities, PerKey, len(s.rows), !s.whole
	for i, name := range s.names {
		c := propertyColumn(name)
		c.Filled, c.Different = s.stats[i].filled, s.stats[i].different()
		if i == d.key {
			c.Role, c.Type = RoleIgnore, ""
		}
		d.Columns = append(d.Columns, c)
	}
	d.Subject = "{" + s.names[d.key] + "}"
	if space := idSpace(s.names[d.key]); space != "" {
		d.Subject = space + "/" + d.Subject
	}
	words := make([]string, len(s.names))
	for i, name := range s.names {
		name, _, _ = strings.Cut(name, ":")
		words[i] = bareWord(name)
	}
	if at := columnOf(words, []string{"name", "title", "label", "fullname"}); at != absent && at != d.key {
		d.Label, d.Columns[at].Role = "{"+s.names[at]+"}", RoleIgnore
	}
	return d
}

// isKeyCell tells Neo4j's header of nodes: ":ID", "personId:ID(Person)".
func isKeyCell(cell string) bool {
	_, kind, ok := strings.Cut(cell, ":")
	kind, _, _ = strings.Cut(kind, "(")
	return ok && kind == "ID"
}

// propertyColumn reads what Neo4j writes behind a column's name: "born:int", "roles:string[]", ":LABEL".
func propertyColumn(cell string) ColumnPlan {
	name, kind, stated := strings.Cut(cell, ":")
	kind, array := strings.CutSuffix(kind, "[]")
	column := ColumnPlan{Name: cell, Role: RoleValue, Property: name, Type: "string"}
	switch {
	case kind == "LABEL":
		return ColumnPlan{Name: cell, Role: RoleReference, Property: kindOfNode, Separator: ";"}
	case kind == "IGNORE" || name == "":
		return ColumnPlan{Name: cell, Role: RoleIgnore}
	case stated && kind != "string":
		column.Type = kind
	}
	if array {
		column.Separator = ";"
	}
	return column
}

var spaceOfIDs = regexp.MustCompile(`:(?:START_|END_)?ID\((.*)\)$`)

// idSpace is what stands in the brackets of Neo4j's ":START_ID(Person)".
func idSpace(cell string) string {
	if found := spaceOfIDs.FindStringSubmatch(cell); found != nil {
		return found[1]
	}
	return ""
}
