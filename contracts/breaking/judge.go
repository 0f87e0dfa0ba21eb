package breaking

// judge finds the rule that an entry falls under, and how it moves the data that
// the contract allows. The first place that fits decides, from the inside out.
func (c *comparison) judge(e *entry) (string, Direction) {
	if rule := e.within("quality"); rule != nil {
		return QualityConstraintChanged, qualityDirection(e, rule)
	}
	if in := e.within("relationship"); in != nil {
		return RelationshipChanged, relationshipDirection(e, in)
	}
	if in := e.within("sla"); in != nil && levelName(in) == "freshness" {
		return FreshnessChanged, c.freshnessDirection(e, in)
	}
	switch {
	case e.kind == "schema" && e.action != updated:
		return SchemaAddedOrRemoved, e.presence()
	case e.kind == "property" && e.action == renamed:
		return PropertyRenamed, Both
	case e.kind == "property" && e.action != updated && e.up.key == "properties":
		return PropertyAddedOrRemoved, e.presence()
	case e.up != nil && e.up.kind == "schema" && e.key == "physicalName":
		return PhysicalNameChanged, nameDirection(e)
	case e.up != nil && e.up.kind == "property":
		return c.columnDirection(e)
	case e.up != nil && e.up.kind == "options":
		return optionDirection(e)
	case e.up != nil && e.up.kind == "enum" && e.key == "value":
		return EnumConstraintChanged, enumDirection(e)
	}
	return MetadataOrUnknownChange, Untested
}

// presence is the direction of a promise that came or went.
func (e *entry) presence() Direction {
	if e.action == added {
		return Tightens
	}
	return Loosens
}

// columnDirection judges the keys of a column that the standard checks.
func (c *comparison) columnDirection(e *entry) (string, Direction) {
	switch e.key {
	case "physicalName":
		return PhysicalNameChanged, nameDirection(e)
	case "required":
		return RequiredChanged, flagDirection(e)
	case "unique":
		return UniqueConstraintChanged, flagDirection(e)
	case "logicalType", "physicalType":
		if e.action == updated {
			return TypeChanged, Both
		}
		return TypeChanged, e.presence()
	case "primaryKeyPosition":
		return KeyConstraintChanged, Untested // a key is a set of columns
	case "primaryKey":
		return KeyConstraintChanged, c.keyDirection(e)
	case "enum":
		return EnumConstraintChanged, e.presence()
	}
	return MetadataOrUnknownChange, Untested
}

// nameDirection compares the names under which readers find the data: what has
// no physical name is stored under its logical one.
func nameDirection(e *entry) Direction {
	stored := func(side *element) string {
		if side == nil {
			return e.up.key
		}
		return side.word()
	}
	if stored(e.old) == stored(e.new) {
		return Untested
	}
	return Both
}

// flagDirection is that of a promise which is off when it is absent.
func flagDirection(e *entry) Direction {
	switch was, is := e.old.true(), e.new.true(); {
	case was == is:
		return Untested
	case is:
		return Tightens
	default:
		return Loosens
	}
}

// keyDirection: a column that joins or leaves a key of several moves both what
// may be missing and what may occur twice.
func (c *comparison) keyDirection(e *entry) Direction {
	direction := flagDirection(e)
	table := e.within("schema")
	if direction == Untested || table == nil {
		return direction
	}
	if len(keyOf(table.old)) > 1 || len(keyOf(table.new)) > 1 {
		return Both
	}
	return direction
}

// keyOf lists the key columns of a table.
func keyOf(table *element) []string {
	var out []string
	if table == nil || table.at("properties") == nil {
		return nil
	}
	for _, p := range table.at("properties").parts {
		if p.value.at("primaryKey").true() {
			out = append(out, p.key)
		}
	}
	return out
}

// keyMoved reports whether the entry makes rows stand for something else.
func (c *comparison) keyMoved(e *entry) bool {
	return e.key == "primaryKey" && e.direction != Untested && e.topColumn()
}

// isKey reports whether an added or removed column is part of the key.
func (c *comparison) isKey(p *pair) bool {
	return p.either().at("primaryKey").true() && p.up.up.kind == "schema"
}

// topColumn reports whether e is a key of a column, not of a part of one.
func (e *entry) topColumn() bool {
	column := e.within("property")
	return column != nil && column.up.up != nil && column.up.up.kind == "schema"
}

// enumDirection compares the sets of values: ids of values may change or swap
// without changing what is allowed.
func enumDirection(e *entry) Direction {
	list := e.up.up
	gone := e.old != nil && !holds(list.new, e.old)
	came := e.new != nil && !holds(list.old, e.new)
	switch {
	case gone && came:
		return Both
	case gone:
		return Tightens
	case came:
		return Loosens
	default:
		return Untested
	}
}

func holds(list, value *element) bool {
	if list == nil {
		return false
	}
	for _, p := range list.parts {
		if v := p.value.at("value"); v != nil && v.word() == value.word() {
			return true
		}
	}
	return false
}

// relationshipDirection: another end is another promise; the rest of a foreign
// key is words.
func relationshipDirection(e *entry, in *pair) Direction {
	if kind := in.either().at("type").word(); kind != "" && kind != "foreignKey" {
		return Untested
	}
	switch {
	case e.pair == in:
		return e.presence()
	case e.below(in) == "from" || e.below(in) == "to":
		return Both
	default:
		return Untested
	}
}
