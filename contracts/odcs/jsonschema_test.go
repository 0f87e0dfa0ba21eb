package odcs

import (
	"encoding/json"
	"strings"
	"testing"
)

// ourKeys visits every key of sluiceShapes, fixtureShapes and waiverShapes with the name of its section.
func ourKeys(visit func(section string, k *key)) {
	for _, group := range []struct {
		kind    string
		objects map[string]*object
		ours    func(string) bool
	}{
		{"custom", customs, func(string) bool { return true }},
		{"object", objects, func(name string) bool { return ours[name] || strings.HasPrefix(name, "fixture") || name == "waiver" }},
	} {
		for name, o := range group.objects {
			for i := range o.keys {
				if group.ours(name) {
					visit(group.kind+" "+name, &o.keys[i])
				}
			}
		}
	}
}

func TestEveryKeyOfSluiceIsExplained(t *testing.T) {
	known := map[string]bool{}
	ourKeys(func(section string, k *key) {
		known[section+" "+k.name] = true
		if text := helps[section][k.name]; !strings.HasSuffix(text, ".") && !strings.HasSuffix(text, "]") && !strings.HasSuffix(text, ")") {
			t.Errorf("%q of %q has no sentence in the table of help: %q", k.name, section, text)
		}
	})
	for section, texts := range helps {
		for name := range texts {
			if !known[section+" "+name] {
				t.Errorf("help explains %q of %q, which is not in the table of shapes", name, section)
			}
		}
	}
}

func TestHelpReachesTheEditor(t *testing.T) {
	_, text := jsonSchema(t, "v3.2.0", false)
	fixtures, err := json.Marshal(FixtureSchema())
	if err != nil {
		t.Fatal(err)
	}
	waivers, err := json.Marshal(WaiverSchema())
	if err != nil {
		t.Fatal(err)
	}
	text += string(fixtures) + string(waivers)
	ourKeys(func(section string, k *key) {
		quoted, err := json.Marshal(helps[section][k.name])
		if err != nil {
			t.Fatal(err)
		}
		if k.until >= Release32 && !strings.Contains(text, `"description":`+string(quoted)) {
			t.Errorf("the schema does not explain %q of %q", k.name, section)
		}
	})
}

func jsonSchema(t *testing.T, version string, own bool) (map[string]any, string) {
	t.Helper()
	made, err := JSONSchema(version, own)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(made)
	if err != nil {
		t.Fatal(err)
	}
	var plain map[string]any
	if err := json.Unmarshal(text, &plain); err != nil {
		t.Fatal(err)
	}
	return plain, string(text)
}

// walk visits every mapping of a schema.
func walk(v any, visit func(map[string]any)) {
	switch v := v.(type) {
	case map[string]any:
		visit(v)
		for _, inner := range v {
			walk(inner, visit)
		}
	case []any:
		for _, inner := range v {
			walk(inner, visit)
		}
	}
}

func TestSchemasAreWhole(t *testing.T) {
	for _, version := range Versions() {
		for _, own := range []bool{false, true} {
			plain, text := jsonSchema(t, version, own)
			defs := plain["$defs"].(map[string]any)
			used := map[string]bool{}
			walk(plain, func(m map[string]any) {
				if ref, ok := m["$ref"].(string); ok {
					name := strings.TrimPrefix(ref, "#/$defs/")
					used[name] = true
					if defs[name] == nil {
						t.Errorf("%s refers to %q, which is not defined", version, ref)
					}
				}
			})
			for name := range defs {
				if !used[name] {
					t.Errorf("%s defines %q, which nothing uses", version, name)
				}
			}
			if _, again := jsonSchema(t, version, own); again != text {
				t.Errorf("%s differs from one call to the next", version)
			}
		}
	}
}

// An editor offers a name and checks its value at the same place as the reader.
func TestSchemaKnowsEveryCustomProperty(t *testing.T) {
	for _, own := range []bool{false, true} {
		plain, _ := jsonSchema(t, "v3.2.0", own)
		defs := plain["$defs"].(map[string]any)
		for place, o := range customs {
			text, err := json.Marshal(defs["customProperty."+place])
			if err != nil {
				t.Fatal(err)
			}
			for _, k := range o.keys {
				if k.until < Release32 {
					continue
				}
				if branch := `"if":{"properties":{"property":{"const":"` + k.name + `"}`; !strings.Contains(string(text), branch) {
					t.Errorf("own=%v: the value of %s on a %s is not described", own, k.name, place)
				}
			}
		}
	}
}

func TestSchemaFollowsTheRelease(t *testing.T) {
	for version, want := range map[string]string{"v3.0.2": "boolean", "v3.1.0": "number"} {
		plain, _ := jsonSchema(t, version, false)
		defs := plain["$defs"].(map[string]any)
		options := defs["options.integer"].(map[string]any)["properties"].(map[string]any)
		if got := options["exclusiveMinimum"].(map[string]any)["type"]; got != want {
			t.Errorf("%s: exclusiveMinimum is a %v, not a %s", version, got, want)
		}
		if defs["enumValue"] != nil || defs["server.iceberg"] != nil {
			t.Errorf("%s describes what came with 3.2", version)
		}
	}
	if _, err := JSONSchema("v3.0.3", false); err == nil || !strings.Contains(err.Error(), "v3.2.0") {
		t.Errorf("an unknown version gives %v", err)
	}
}

func TestOwnSchemaLeavesTheStandardOpen(t *testing.T) {
	plain, text := jsonSchema(t, "v3.2.0", true)
	for name, def := range plain["$defs"].(map[string]any) {
		_, closed := def.(map[string]any)["additionalProperties"]
		if closed != ours[strings.ReplaceAll(name, ".", "/")] && name != "implementation" {
			t.Errorf("%s: closed is %v", name, closed)
		}
	}
	if strings.Contains(text, "dataGranularityDescription") {
		t.Error("it has a key of the standard that leads to nothing of sluice")
	}
}
