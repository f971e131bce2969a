package diagnosis

// MissingNames lists the predicates and step builders that the catalogue names
// and no code knows.
func MissingNames() []string {
	var out []string
	known, build := predicates(), builders()
	check := func(name string, ok bool) {
		if !ok {
			out = append(out, name)
		}
	}
	for _, c := range Catalogue() {
		for _, s := range c.Signs {
			check(s.Predicate, known[s.Predicate] != nil)
		}
		for _, p := range c.Plan {
			for _, s := range p.Steps {
				check(s, build[s] != nil)
			}
		}
	}
	for _, h := range hypotheses() {
		check(h.Disproof, known[h.Disproof] != nil)
	}
	return out
}
