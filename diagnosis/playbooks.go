package diagnosis

import "slices"

// Playbooks lists, as CAUSE/KEY, the proposals of the catalogue of which dw may
// carry out every step by itself where a domain opens them: holds of schedules,
// reruns of jobs, and checks.
func Playbooks() []string {
	var out []string
	for _, class := range Catalogue() {
		for _, t := range class.Plan {
			other := slices.ContainsFunc(t.Steps, func(s string) bool { return s != "rebuild" && s != "verify" })
			if !other && len(t.After) == 0 {
				out = append(out, class.ID+"/"+t.Key)
			}
		}
	}
	return out
}
