package breaking

import "fmt"

// harm is who is hurt by a rule's change and why, by direction.
var harm = map[string]map[Direction]string{
	SchemaAddedOrRemoved: {
		Loosens:  "readers find the table no more",
		Tightens: "the producer has to fill it",
	},
	PropertyAddedOrRemoved: {
		Loosens:  "queries that name it fail",
		Tightens: "rows that are in the table already have no value for it",
	},
	PropertyRenamed:     {Both: "queries that name the old one fail"},
	PhysicalNameChanged: {Both: "queries that name the old one fail or, worse, find what is left under it"},
	RequiredChanged: {
		Loosens:      "readers who count on a value meet NULL",
		Tightens:     "rows without a value, which passed until now, are rejected",
		Undetermined: "whether rows that passed until now still do, nobody can tell from the two lists",
	},
	TypeChanged: {
		Both:     "readers with a schema of their own fail or convert silently",
		Loosens:  "nobody can count on the type any more",
		Tightens: "values of another type, which passed until now, fail",
	},
	UniqueConstraintChanged: {
		Loosens:  "joins by it may multiply rows",
		Tightens: "batches with a value that occurs twice, which passed until now, fail",
	},
	KeyConstraintChanged: {
		Loosens: "a row stands for something else, so sums and joins over it change their meaning", Tightens: "a row stands for something else, so sums and joins over it change their meaning",
		Both: "a row stands for something else, so sums and joins over it change their meaning",
	},
	ValidationConstraintChanged: {
		Loosens:      "readers meet values that they have never seen",
		Tightens:     "rows that passed until now are rejected",
		Undetermined: "whether rows that passed until now still do, nobody can tell from the two texts",
	},
	EnumConstraintChanged: {
		Loosens:  "readers meet values that they have never seen",
		Tightens: "rows with a value that passed until now are rejected",
		Both:     "readers meet values that they have never seen, and rows that passed until now are rejected",
	},
	RelationshipChanged: {
		Loosens:  "joins may lose rows without anybody noticing",
		Tightens: "rows whose parent is missing, which passed until now, fail",
		Both:     "joins lead elsewhere",
	},
	FreshnessChanged: {
		Loosens:      "readers may be served older data",
		Tightens:     "the producer has to be faster",
		Both:         "another column is measured",
		Undetermined: "the two lengths of time cannot be compared",
	},
	QualityConstraintChanged: {
		Loosens:      "batches reach readers that were refused until now",
		Tightens:     "batches that passed until now are refused",
		Both:         "batches reach readers that were refused until now, and others are refused that passed",
		Undetermined: "whether the same batches pass, nobody can tell from the two texts",
	},
	VectorShapeChanged: {
		Both:     "old and new vectors cannot be compared",
		Loosens:  "readers meet vectors of any length",
		Tightens: "vectors of another length, which passed until now, are rejected",
	},
}

// hurt says who is hurt and why. Where the direction says nothing, the class does.
func hurt(e *entry, class Class) string {
	if text := harm[e.rule][e.direction]; text != "" && !(e.rule == PropertyAddedOrRemoved && class == Minor) {
		if class == NewTable && e.rule != KeyConstraintChanged && e.rule != PhysicalNameChanged {
			return "it is part of the key, so a row stands for something else"
		}
		return text
	}
	switch class {
	case NewTable:
		return "if a row stands for something else, sums and joins change their meaning"
	case Major:
		return metadataHarm(e)
	case Notice:
		if e.key == "deprecated" && e.new.true() {
			return "it will go, and queries that name it then fail"
		}
		if e.within("sla") != nil {
			return "the service that readers were promised is another one"
		}
		if e.within("quality") != nil {
			return "other batches than before may be refused or pass"
		}
		return "published values, or who may read them and where, can change, while names and types stay"
	default:
		return ""
	}
}

// metadataHarm is about the MAJOR changes that no direction tells.
func metadataHarm(e *entry) string {
	switch {
	case e.key == "defaultTimezone":
		return "every moment without a zone is read as another instant"
	case e.within("sla") != nil && levelName(e.within("sla")) == "retention":
		return "history that readers may use is deleted earlier"
	case e.within("sla") != nil:
		return "readers have less time than they were promised"
	case e.within("quality") != nil:
		return harm[QualityConstraintChanged][Loosens]
	case e.key == "semanticType":
		return "the column is no longer stored"
	}
	return "readers meet values that they have never seen"
}

// remedy says what to do, the deprecation window where one would help.
func (c *comparison) remedy(e *entry, told Change) string {
	switch {
	case told.Class == NewTable && told.Rule == MetadataOrUnknownChange:
		return "publish another grain as another table under another contract id; if only the words changed, say so by a waiver"
	case told.Class == NewTable:
		return "give the new rows another table and another contract id, publish both, and retire the old one"
	case e.rule == PropertyRenamed:
		return fmt.Sprintf("keep %s beside %s for a while: the new one with replaces: %s, the old one with deprecated: true and an endOfLife for its consumers; remove it after that day", e.key, newName(e), e.key)
	case (e.rule == PropertyAddedOrRemoved || e.rule == SchemaAddedOrRemoved && !c.renamedTable(e)) && e.action == removed:
		return c.windowFor(told)
	case e.rule == PropertyAddedOrRemoved && told.Class == Notice:
		return "add it as nullable, fill the rows that are there, then make it required"
	case e.rule == PropertyAddedOrRemoved:
		return ""
	case e.rule == PhysicalNameChanged || e.rule == TypeChanged && e.direction == Both:
		return fmt.Sprintf("add a further column with replaces: %s, deprecate this one with an endOfLife, and remove it after that day", e.up.key)
	case e.key == "deprecated" && told.Class == Notice:
		if end := promisedEnd(c.new, c.tableOf(e.up.path()), e.up.path()); end != "" {
			return fmt.Sprintf("tell its consumers that they have until its end of life, %s", end)
		}
		return "give it an endOfLife, so that consumers know how long they have"
	case told.Class == Major:
		return "raise the major version and agree on the day with its consumers"
	case told.Class == Notice:
		return "tell its consumers before it ships"
	}
	return ""
}

// windowFor is what to do about a column or table that goes: nothing more when
// its end of life has passed.
func (c *comparison) windowFor(told Change) string {
	switch end := c.promisedEnd(told.Path); {
	case end != "" && end < c.opts.Today:
		return fmt.Sprintf("its end of life was %s, so the window is over; raise the major version", end)
	case end != "":
		return fmt.Sprintf("keep it until its end of life, %s, and remove it after that day", end)
	}
	return "deprecate it first: deprecated: true and an endOfLife for its consumers, and remove it after that day"
}
