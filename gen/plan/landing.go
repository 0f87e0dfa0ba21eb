package plan

// Landing is the statements that put a batch of files into bronze. It is built
// when the files' columns and the table's are known, so it has no markers.
type Landing struct {
	Table   string      `json:"table"`  // dotted, for people
	Added   []string    `json:"added"`  // source columns that bronze did not have
	Absent  []string    `json:"absent"` // columns of bronze that the files do not have; they land as NULL
	Ensure  []Statement `json:"ensure"`
	Compare *Statement  `json:"compare,omitempty"` // one row: rows, same_content, kept_loaded_at; nil when bronze is new
	Write   Statement   `json:"write"`             // holds :loaded_at
	Count   Statement   `json:"count"`             // one row: rows
}

// LandingParams are the markers of a Landing.
func LandingParams() []Param {
	return []Param{{Name: "loaded_at", Type: TextParam, Why: "the load time that this batch already has, or the server's clock"}}
}
