package plan_test

import (
	"testing"

	"sluice/gen/plan"
)

func TestConstraintAsDeltaGivesItBack(t *testing.T) {
	c := plan.Constraint{Expression: "`a b` IS NULL OR `a b` >= -5 AND `a b` <> '-5  x'"}
	for _, same := range []string{c.Expression, "`a b` IS NULL OR `a b` >= - 5 AND `a b` <> '-5  x'", "`a b`  IS NULL\nOR `a b`>= -5 AND `a b`<>'-5  x'"} {
		if !c.Is(same) {
			t.Errorf("%s is another constraint than %s", same, c.Expression)
		}
	}
	for _, other := range []string{"", "`a b` IS NULL OR `a b` >= 5 AND `a b` <> '-5  x'", "`a b` IS NULL OR `a b` >= -5 AND `a b` <> '-5 x'", "`ab` IS NULL OR `ab` >= -5 AND `ab` <> '-5  x'"} {
		if c.Is(other) {
			t.Errorf("%s is the same constraint as %s", other, c.Expression)
		}
	}
}
