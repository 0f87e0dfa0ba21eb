package odcs

// waiverShapes is the form of <contract>.waivers.yaml, a list, in the notation of
// shapes: the changes of a contract that somebody answers for.
const waiverShapes = `
object waiver
  rule!                    text
  path!                    text
  owner!                   text
  reason!                  text
  until!                   text
`

const waiverHelp = `
object waiver
  rule                     The rule of the change, as sluice breaking prints it.
  path                     The path of the change, as sluice breaking prints it.
  owner                    Who answers for it.
  reason                   Why it may be merged all the same.
  until                    The last day on which the waiver holds, as yyyy-MM-dd.
`

// ParseWaivers reads a file of waivers: their keys are those of the table above.
// What they waive is for package contracts/breaking.
func ParseWaivers(file string, data []byte) ([]*Node, []Problem) {
	report := &Report{}
	root := read(file, data, report)
	if root == nil {
		return nil, report.Problems()
	}
	if root.Kind != List {
		root.Report(report, "wrong-type", "a waiver file is a list; start each waiver with - rule:")
		return nil, report.Problems()
	}
	(&checker{report: report, release: newest}).value(root, &shape{kind: "list", element: named("waiver")}, "")
	return root.Items(), report.Problems()
}

// WaiverSchema describes a waiver file to an editor.
func WaiverSchema() map[string]any {
	s := &schemer{release: newest, defs: map[string]any{}}
	items := s.ref("waiver")
	return map[string]any{"$schema": Dialect, "title": "Waivers of a contract, for sluice breaking", "type": "array", "items": items, "$defs": s.defs}
}
