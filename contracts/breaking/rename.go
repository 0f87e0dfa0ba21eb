package breaking

// renames finds the columns that are the old ones under a new name: by their
// stable id, or because the new one says which it replaces.
func renames(old, new *element) map[string]string {
	gone, byID := map[string]bool{}, map[string]string{}
	for _, was := range old.parts {
		if new.at(was.key) == nil {
			gone[was.key] = true
			byID[was.value.at("id").word()] = was.key
		}
	}
	delete(byID, "")
	out := map[string]string{}
	for _, one := range new.parts {
		if len(gone) == 0 || old.at(one.key) != nil {
			continue
		}
		was := byID[one.value.at("id").word()]
		if replaced := one.value.custom("replaces").word(); was == "" && gone[replaced] {
			was = replaced
		}
		if was != "" && out[was] == "" {
			out[was] = one.key
		}
	}
	return out
}

// rename adds one difference for the name, and those between the two columns.
func (c *comparison) rename(p *pair, to string) {
	c.add(p, renamed)
	c.compare(&pair{up: p.up, key: to, kind: p.kind, old: p.old, new: p.new})
}
