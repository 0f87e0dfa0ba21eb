package breaking

import (
	"math/big"
	"strings"
	"time"

	"sluice/contracts/odcs"
)

// optionDirection judges one option of a type.
func optionDirection(e *entry) (string, Direction) {
	switch e.key {
	case "minimum", "exclusiveMinimum":
		return ValidationConstraintChanged, rangeDirection(e, "minimum", "exclusiveMinimum", 1)
	case "maximum", "exclusiveMaximum":
		return ValidationConstraintChanged, rangeDirection(e, "maximum", "exclusiveMaximum", -1)
	case "minLength", "minItems":
		return ValidationConstraintChanged, limitDirection(e, 1)
	case "maxLength", "maxItems":
		return ValidationConstraintChanged, limitDirection(e, -1)
	case "pattern":
		if e.action == updated {
			return ValidationConstraintChanged, Undetermined // whether one pattern implies another, no program decides here
		}
		return ValidationConstraintChanged, e.presence()
	case "uniqueItems":
		return UniqueConstraintChanged, flagDirection(e)
	case "dimensions":
		if e.action == updated {
			return VectorShapeChanged, Both
		}
		return VectorShapeChanged, e.presence()
	case "elementType":
		return VectorShapeChanged, elementDirection(e)
	case "required":
		return RequiredChanged, Undetermined
	}
	return MetadataOrUnknownChange, Untested
}

// elementDirection: a vector without elementType holds float32 (ODCS 3.2).
func elementDirection(e *entry) Direction {
	kind := func(side *element) string {
		if side == nil {
			return "float32"
		}
		return side.word()
	}
	if kind(e.old) == kind(e.new) {
		return Untested
	}
	return Both
}

// limitDirection compares two limits that hold alone. sign is 1 for a lower one.
func limitDirection(e *entry, sign int) Direction {
	if e.action != updated {
		return e.presence()
	}
	was, fine := rational(e.old.word())
	is, well := rational(e.new.word())
	if !fine || !well {
		return Undetermined
	}
	return moved(sign * is.Cmp(was))
}

// moved is the direction of a bound that went inwards (1), outwards (-1) or not.
func moved(inwards int) Direction {
	switch {
	case inwards > 0:
		return Tightens
	case inwards < 0:
		return Loosens
	default:
		return Untested
	}
}

// rangeDirection compares what one end of a range accepts in both versions. Up
// to ODCS 3.0 an exclusive bound is a flag beside the inclusive one, since 3.1 a
// bound of its own; both read as the set of values they leave. Of the two keys
// the first that the new version has carries the change.
func rangeDirection(e *entry, inclusive, exclusive string, sign int) Direction {
	if e.key != carrier(e.up, inclusive, exclusive) {
		return Untested
	}
	column := e.within("property")
	whole := column.either().at("logicalType").word()
	was, fine := end(e.up.old, inclusive, exclusive, whole, sign)
	is, well := end(e.up.new, inclusive, exclusive, whole, sign)
	switch {
	case !fine || !well:
		if e.action != updated && (was == nil || is == nil) && soleBound(e.up, inclusive, exclusive) {
			return e.presence() // no need to understand a bound that stands alone
		}
		return Undetermined
	case was == nil && is == nil:
		return Untested
	case was == nil:
		return Tightens
	case is == nil:
		return Loosens
	}
	return moved(sign * is.compare(was, sign))
}

// soleBound reports whether one version has no bound at this end.
func soleBound(options *pair, inclusive, exclusive string) bool {
	free := func(side *element) bool { return side.at(inclusive) == nil && side.at(exclusive) == nil }
	return free(options.old) || free(options.new)
}

// carrier is the key of several that stands for a change of all.
func carrier(owner *pair, keys ...string) string {
	first := ""
	for _, key := range keys {
		if same(owner.old.at(key), owner.new.at(key)) {
			continue
		}
		if owner.new.at(key) != nil {
			return key
		}
		if first == "" {
			first = key
		}
	}
	return first
}

// limit is one end of a range.
type limit struct {
	at   *big.Rat
	open bool // the value itself is not accepted
}

// compare orders two limits by the values they cut off. At one point the open
// one lies further inwards.
func (l *limit) compare(other *limit, sign int) int {
	if by := l.at.Cmp(other.at); by != 0 || l.open == other.open {
		return by
	}
	if l.open {
		return sign
	}
	return -sign
}

// end is the tighter of the bounds at one end, nil when there is none; false
// when a bound is no value that can be compared.
func end(options *element, inclusive, exclusive, logicalType string, sign int) (*limit, bool) {
	var out *limit
	flag := options.at(exclusive)
	for _, key := range []string{inclusive, exclusive} {
		bound := options.at(key)
		if bound == nil || bound.is(odcs.Boolean) {
			continue
		}
		value, fine := boundValue(bound.word(), logicalType)
		if !fine {
			return nil, false
		}
		one := &limit{value, key == exclusive || flag != nil && flag.true()}
		if logicalType == "integer" || logicalType == "date" {
			one = one.whole(sign)
		}
		if out == nil || sign*one.compare(out, sign) > 0 {
			out = one
		}
	}
	return out, true
}

// whole is the same limit over whole numbers and days: above 0 is from 1.
func (l *limit) whole(sign int) *limit {
	floor := new(big.Int)
	rest := new(big.Int)
	floor.DivMod(l.at.Num(), l.at.Denom(), rest)
	first := floor // the nearest whole value inwards
	if sign > 0 && rest.Sign() > 0 {
		first = new(big.Int).Add(floor, big.NewInt(1))
	}
	if l.open && rest.Sign() == 0 {
		first = new(big.Int).Add(floor, big.NewInt(int64(sign)))
	}
	return &limit{at: new(big.Rat).SetInt(first)}
}

// rational reads plain digits. An exponent could ask for more digits than memory
// has, and no contract needs one.
func rational(text string) (*big.Rat, bool) {
	if len(text) > 100 || strings.ContainsAny(text, "eEpPxX_/") {
		return nil, false
	}
	return new(big.Rat).SetString(text)
}

var dayForms = []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999", "2006-01-02T15:04", time.DateOnly}

// boundValue is a bound as a number: seconds of a moment (UTC where no zone is
// written), days of a date.
func boundValue(text, logicalType string) (*big.Rat, bool) {
	if value, fine := rational(text); fine {
		return value, true
	}
	for _, form := range dayForms {
		moment, err := time.Parse(form, strings.TrimSpace(text))
		if err != nil {
			continue
		}
		value := new(big.Rat).SetFrac64(int64(moment.Nanosecond()), int64(time.Second))
		value.Add(value, new(big.Rat).SetInt64(moment.Unix()))
		if logicalType == "date" {
			value.Quo(value, big.NewRat(86_400, 1))
		}
		return value, true
	}
	return nil, false
}
