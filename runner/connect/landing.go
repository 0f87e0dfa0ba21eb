package connect

// LandingFields types the columns of a landing chunk: texts as they were sent,
// and the number of the line that each row began on.
func LandingFields(columns []string) []Field {
	fields := make([]Field, len(columns))
	for i, name := range columns {
		fields[i] = Field{Name: name, Type: "STRING"}
		if name == "_source_line" {
			fields[i].Type = "BIGINT"
		}
	}
	return fields
}
