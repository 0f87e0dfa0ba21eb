package breaking

import (
	"math/big"
	"slices"
	"strings"
)

// operators in the order in which datacontract-cli looks for one.
var operators = []string{
	"mustBe", "mustNotBe", "mustBeGreaterThan", "mustBeGreaterOrEqualTo",
	"mustBeLessThan", "mustBeLessOrEqualTo", "mustBeBetween", "mustNotBeBetween",
}

// threshold is the set of values that a quality rule lets pass.
type threshold struct {
	operator string
	bounds   []*big.Rat
}

// thresholdOf reads the one operator of a rule. known is false for one that
// compares with a text, whose order nobody knows.
func thresholdOf(rule *element) (t *threshold, known bool) {
	for _, operator := range operators {
		value := rule.at(operator)
		if value == nil {
			continue
		}
		texts := []string{value.word()}
		if value.list() {
			texts = value.words()
			if len(texts) != 2 {
				return nil, true
			}
		} else if !value.number() {
			return &threshold{operator: operator}, false
		}
		t = &threshold{operator: operator}
		for _, text := range texts {
			bound, fine := rational(text)
			if !fine {
				return t, false
			}
			t.bounds = append(t.bounds, bound)
		}
		return t, true
	}
	return nil, true
}

func (t *threshold) passes(value *big.Rat) bool {
	low := value.Cmp(t.bounds[0])
	switch t.operator {
	case "mustBe":
		return low == 0
	case "mustNotBe":
		return low != 0
	case "mustBeGreaterThan":
		return low > 0
	case "mustBeGreaterOrEqualTo":
		return low >= 0
	case "mustBeLessThan":
		return low < 0
	case "mustBeLessOrEqualTo":
		return low <= 0
	case "mustBeBetween": // inclusive, as datacontract-cli has it
		return low >= 0 && value.Cmp(t.bounds[1]) <= 0
	default:
		return low < 0 || value.Cmp(t.bounds[1]) > 0
	}
}

// samples are values that tell apart any two thresholds with these bounds: each
// bound, something between neighbours, and something beyond both ends. Of whole
// numbers, those at and next to each bound.
func samples(whole bool, bounds ...*big.Rat) []*big.Rat {
	bounds = slices.Clone(bounds)
	slices.SortFunc(bounds, (*big.Rat).Cmp)
	one := big.NewRat(1, 1)
	var out []*big.Rat
	if !whole {
		out = append(out, new(big.Rat).Sub(bounds[0], one))
		for i, b := range bounds {
			out = append(out, b)
			if i > 0 {
				middle := new(big.Rat).Add(bounds[i-1], b)
				out = append(out, middle.Quo(middle, big.NewRat(2, 1)))
			}
		}
		return append(out, new(big.Rat).Add(bounds[len(bounds)-1], one))
	}
	for _, b := range bounds {
		floor := new(big.Int)
		floor.DivMod(b.Num(), b.Denom(), new(big.Int))
		for step := int64(-1); step <= 2; step++ {
			out = append(out, new(big.Rat).SetInt(new(big.Int).Add(floor, big.NewInt(step))))
		}
	}
	return out
}

// between is the direction from one set of passing values to another.
func between(was, is *threshold, whole bool) Direction {
	var more, less bool
	for _, value := range samples(whole, slices.Concat(was.bounds, is.bounds)...) {
		before, after := was.passes(value), is.passes(value)
		more = more || after && !before
		less = less || before && !after
	}
	switch {
	case more && less:
		return Both
	case more:
		return Loosens
	case less:
		return Tightens
	default:
		return Untested
	}
}

// counting is how a rule moves when it counts more bad rows than before, or
// fewer: that depends on which side of its threshold is good.
func counting(rule *element, more bool) Direction {
	t, known := thresholdOf(rule)
	if t == nil || !known {
		return Undetermined
	}
	values := samples(!percent(rule), append([]*big.Rat{new(big.Rat)}, t.bounds...)...)
	values = slices.DeleteFunc(values, func(v *big.Rat) bool { return v.Sign() < 0 })
	slices.SortFunc(values, (*big.Rat).Cmp)
	var rises, falls bool
	for i := 1; i < len(values); i++ {
		before, after := t.passes(values[i-1]), t.passes(values[i])
		rises = rises || after && !before
		falls = falls || before && !after
	}
	switch {
	case rises && falls:
		return Both
	case falls == rises:
		return Untested // passes always or never
	case falls == more:
		return Tightens
	default:
		return Loosens
	}
}

// percent reports whether a rule counts parts of a hundred.
func percent(rule *element) bool {
	unit := strings.ToLower(strings.TrimSpace(rule.at("unit").word()))
	return slices.Contains([]string{"percent", "percentage", "%"}, unit)
}
