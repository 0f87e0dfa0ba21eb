package breaking

import (
	"sluice/contracts/odcs"
)

// same reports whether two values are equal. 1 and 1.0 are not: they are the
// same number, but somebody changed the text, and one rule may tell them apart.
func same(a, b *element) bool {
	switch {
	case a == nil || b == nil:
		return a == b
	case a.branch() && b.branch():
		return sameParts(a, b)
	case a.branch() || b.branch():
		return false
	case a.list() && b.list():
		return sameItems(a, b)
	case a.list() || b.list():
		return false
	}
	kind, other := scalarKind(a), scalarKind(b)
	if kind != other || kind == odcs.Boolean || kind == odcs.String {
		return kind == other && a.word() == b.word()
	}
	x, fine := rational(a.word())
	y, well := rational(b.word())
	if !fine || !well {
		return a.word() == b.word()
	}
	return x.Cmp(y) == 0
}

// scalarKind takes a date without quotes for the text that the standard wants.
func scalarKind(e *element) odcs.Kind {
	if e.is(odcs.Date) {
		return odcs.String
	}
	return e.node.Kind
}

func sameParts(a, b *element) bool {
	if len(a.parts) != len(b.parts) {
		return false
	}
	for _, p := range a.parts {
		if other := b.at(p.key); other == nil || !same(p.value, other) {
			return false
		}
	}
	return true
}

func sameItems(a, b *element) bool {
	onlyA, onlyB := unequal(a.items, b.items)
	return len(onlyA)+len(onlyB) == 0
}

// unequal takes the equal members out of two lists, each once, in any order.
func unequal(a, b []*element) (onlyA, onlyB []*element) {
	matched := make([]bool, len(b))
next:
	for _, x := range a {
		for j, y := range b {
			if !matched[j] && same(x, y) {
				matched[j] = true
				continue next
			}
		}
		onlyA = append(onlyA, x)
	}
	for j, y := range b {
		if !matched[j] {
			onlyB = append(onlyB, y)
		}
	}
	return onlyA, onlyB
}
