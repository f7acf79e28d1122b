package endpoint

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
)

// elementID is what a database calls a node or a relationship: a number, or a text where it has no numbers any more.
type elementID struct {
	Number int64  `json:"number,omitempty"`
	Text   string `json:"text,omitempty"`
}

func idOf(value any) (elementID, error) {
	switch v := value.(type) {
	case int64:
		return elementID{Number: v}, nil
	case string:
		if v != "" {
			return elementID{Text: v}, nil
		}
	}
	return elementID{}, fmt.Errorf("%v is no id", value)
}

// value is the id as the database has it.
func (id elementID) value() any {
	if id.Text != "" {
		return id.Text
	}
	return id.Number
}

func (id elementID) String() string { return fmt.Sprint(id.value()) }

// line appends a node or a relationship as apoc.export.json writes it, and counts it.
func (c *neo4jCopier) line(to []byte, r row) ([]byte, error) {
	var record map[string]any
	var err error
	if c.state.Part == 0 {
		c.state.Report.Nodes++
		record, err = nodeRecord(r)
	} else {
		c.state.Report.Relationships++
		record, err = c.relationshipRecord(r)
	}
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(record)
	if err != nil {
		return nil, err
	}
	return append(append(to, text...), '\n'), nil
}

// nodeRecord takes id, labels and properties.
func nodeRecord(r row) (map[string]any, error) {
	id, err := idOf(r[0])
	if err != nil {
		return nil, err
	}
	given, _ := r[2].(map[string]any)
	properties := make(map[string]any, len(given))
	for name, value := range given {
		properties[name] = jsonValue(value)
	}
	return map[string]any{"type": "node", "id": id.String(), "labels": r[1], "properties": properties}, nil
}

// relationshipRecord takes id, type, ids of both ends and the number of properties.
func (c *neo4jCopier) relationshipRecord(r row) (map[string]any, error) {
	start, err := idOf(r[2])
	if err != nil {
		return nil, err
	}
	end, err := idOf(r[3])
	if err != nil {
		return nil, err
	}
	properties, _ := r[4].(int64)
	c.state.Report.Properties += properties
	return map[string]any{"type": "relationship", "label": r[1], "start": map[string]string{"id": start.String()}, "end": map[string]string{"id": end.String()}}, nil
}

// typedValue is a value whose type JSON lacks, with the name that XML Schema has for it.
type typedValue struct {
	Type  string `json:"type"`
	Value string `json:"value"`
}

// jsonValue is a property as JSON; what has parts, such as a point, becomes what the reader leaves out and counts.
func jsonValue(value any) any {
	switch v := value.(type) {
	case []any:
		values := make([]any, len(v))
		for i, each := range v {
			values[i] = jsonValue(each)
		}
		return values
	case float64:
		return floatValue(v)
	case neo4j.Date:
		return typedValue{"date", v.String()}
	case neo4j.LocalDateTime:
		return typedValue{"dateTime", v.String()}
	case time.Time:
		return typedValue{"dateTime", v.Format(time.RFC3339Nano)}
	case neo4j.LocalTime:
		return typedValue{"time", v.String()}
	case neo4j.Time:
		return typedValue{"time", v.String()}
	case neo4j.Duration:
		return typedValue{"duration", v.String()}
	case string, int64, bool, nil:
		return v
	}
	return map[string]any{}
}

// floatValue keeps the point of a number that has none to show, and what JSON has no number for.
func floatValue(v float64) any {
	switch {
	case math.IsNaN(v):
		return typedValue{"double", "NaN"}
	case math.IsInf(v, 1):
		return typedValue{"double", "INF"}
	case math.IsInf(v, -1):
		return typedValue{"double", "-INF"}
	case v == math.Trunc(v):
		return typedValue{"double", strconv.FormatFloat(v, 'E', -1, 64)}
	}
	return v
}
