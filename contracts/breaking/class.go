package breaking

import "slices"

// Class is what a change means for the version of its contract.
type Class string

// The classes, from harmless to worst. Notice is a minor change that consumers
// must hear of before it ships; NewTable is one that no version of this table can
// express, because a row no longer stands for the same thing.
const (
	None     Class = "none"
	Patch    Class = "patch"
	Minor    Class = "minor"
	Notice   Class = "notice"
	Major    Class = "MAJOR"
	NewTable Class = "NEW TABLE"
)

var classes = []Class{None, Patch, Minor, Notice, Major, NewTable}

// Classes lists them, the worst first.
func Classes() []Class {
	out := slices.Clone(classes)
	slices.Reverse(out)
	return out
}

func (c Class) worse(than Class) bool { return slices.Index(classes, c) > slices.Index(classes, than) }

// Words is the class as a sentence has it.
func (c Class) Words() string {
	if c == Notice {
		return "minor with notice"
	}
	return string(c)
}

// class is the class of a graded entry: what its direction says, but where
// sluice enforces, or knows of readers, what the direction does not.
func (c *comparison) class(e *entry) Class {
	if own, differs := c.ownClass(e); differs {
		return own
	}
	switch e.direction {
	case Loosens, Both:
		return Major
	case Tightens, Undetermined:
		return Notice
	default:
		return Patch
	}
}

// ownClass are the stated differences from the direction.
func (c *comparison) ownClass(e *entry) (Class, bool) {
	switch e.kind {
	case "property":
		if e.action == updated || e.rule != PropertyAddedOrRemoved && e.rule != PropertyRenamed {
			break
		}
		return c.columnClass(e)
	case "quality":
		return c.wholeRuleClass(e)
	}
	if in := e.within("quality"); in != nil {
		return c.ruleClass(e, in)
	}
	if in := e.within("sla"); in != nil {
		return levelClass(e, in)
	}
	switch e.rule {
	case KeyConstraintChanged:
		if c.keyMoved(e) {
			return NewTable, true
		}
	case PhysicalNameChanged:
		if e.up.kind == "schema" && e.direction == Both {
			return NewTable, true
		}
	case MetadataOrUnknownChange:
		return c.metadataClass(e)
	case RelationshipChanged:
		if in := e.within("custom"); in != nil && in.ours() {
			return Notice, true
		}
	case RequiredChanged:
		return optionClass(e)
	}
	return "", false
}

// columnClass is that of an added or removed column. A nullable one hurts nobody;
// one in the key changes what a row is.
func (c *comparison) columnClass(e *entry) (Class, bool) {
	side := e.either()
	switch {
	case e.action == renamed:
		return Major, true
	case c.isKey(e.pair):
		return NewTable, true
	case e.action == added && side.at("semanticType").word() == "measure":
		return Patch, true // readers compute it, nothing is stored
	case e.action == added && !side.at("required").true():
		return Minor, true
	}
	return "", false
}

// The classes of what datacontract-cli calls metadata, by kind of element and
// key. What is not listed is a patch: texts for people.
var metadata = map[string]map[string]Class{
	"contract": {"version": None, "id": Notice, "servers": Notice},
	"schema":   {"physicalType": Notice},
	"property": {
		"partitioned": Notice, "partitionKeyPosition": Notice, "classification": Notice, "encryptedName": Notice,
		"transformLogic": Notice, "transformSourceObjects": Notice,
	},
	"server": {
		"server": Notice, "description": Patch, "environment": Patch, "roles": Patch, "customProperties": Patch, "id": Patch,
	},
}

func (c *comparison) metadataClass(e *entry) (Class, bool) {
	if in := e.within("custom"); in != nil {
		return customClass(e, in)
	}
	if in := e.within("server"); in != nil {
		key := e.below(in)
		if class, known := metadata["server"][key]; known {
			return class, true
		}
		return Notice, true
	}
	if e.option() {
		return optionClass(e)
	}
	place := e.owner()
	switch key := e.below(place); {
	case key == "deprecated" && place.kind != "contract":
		return deprecatedClass(e)
	case key == "status":
		return statusClass(e)
	case key == "dataGranularityDescription":
		return NewTable, true // the sentence says what a row is; see confirmable
	case key == "semanticType":
		return semanticClass(e)
	default:
		class, known := metadata[place.kind][key]
		return class, known
	}
}

// deprecatedClass: to deprecate starts the clock of a window, to take it back
// only gives.
func deprecatedClass(e *entry) (Class, bool) {
	switch was, is := e.old.true(), e.new.true(); {
	case is && !was:
		return Notice, true
	case was && !is:
		return Minor, true
	default:
		return Patch, true
	}
}

func statusClass(e *entry) (Class, bool) {
	ends := []string{"deprecated", "retired"}
	if slices.Contains(ends, e.new.word()) {
		return Notice, true
	}
	if slices.Contains(ends, e.old.word()) {
		return Minor, true
	}
	return Patch, true
}

// semanticClass: a measure is an expression, so a column that becomes one is no
// longer stored.
func semanticClass(e *entry) (Class, bool) {
	switch was, is := e.old.word() == "measure", e.new.word() == "measure"; {
	case is && !was:
		return Major, true
	case was && !is:
		return Minor, true
	default:
		return Patch, true
	}
}

// counted is the class by which a change counts for the gate.
func (c Change) counted() Class {
	if c.Waiver == nil {
		return c.Class
	}
	if c.confirmable() {
		return Notice
	}
	return None
}

// confirmable changes are those that a waiver does not take out of the gate: it
// is the author's word that the grain is the same, and readers still hear of it.
func (c Change) confirmable() bool {
	return c.Rule == MetadataOrUnknownChange && c.Class == NewTable
}
