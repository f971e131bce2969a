package app

import (
	"errors"
	"path"
	"time"

	"github.com/hmarr/codeowners"

	"dw/config"
	"dw/lineage"
)

// codeOwners adds who owns the files that define the assets of a manifest.
func (g *graphBuilder) codeOwners(m config.Manifest, key string, manifest []lineage.Asset) {
	owned, err := ownersOfFiles(m, manifest)
	if err != nil {
		g.problem(key+".codeowners", "%v", err)
		return
	}
	for _, a := range owned {
		g.builder.AddAsset(a)
		g.places.asset(a.ID, key+".codeowners")
	}
}

// ownersOfFiles reads a CODEOWNERS file; the last rule that fits a file counts, and
// one without owners says that it has none.
func ownersOfFiles(m config.Manifest, manifest []lineage.Asset) ([]lineage.Asset, error) {
	rules, seenAt, err := readCodeOwners(m.CodeOwners)
	if err != nil {
		return nil, err
	}
	from := lineage.Provenance{Source: lineage.SourceCodeOwners, SeenAt: seenAt, How: lineage.HowDeclared}
	var out []lineage.Asset
	for _, a := range manifest {
		if a.File == "" {
			continue
		}
		rule, err := rules.Match(path.Join(m.CodeFolder, a.File))
		if err != nil {
			return nil, err
		}
		if rule == nil || len(rule.Owners) == 0 {
			continue
		}
		stated := lineage.Asset{ID: a.ID, From: []lineage.Provenance{from}}
		for _, owner := range rule.Owners {
			stated.Owners = append(stated.Owners, lineage.Fact{Value: owner.String(), From: from})
		}
		out = append(out, stated)
	}
	return out, nil
}

func readCodeOwners(name string) (_ codeowners.Ruleset, seenAt time.Time, err error) {
	file, seenAt, err := openDated(name)
	if err != nil {
		return nil, time.Time{}, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	rules, err := codeowners.ParseFile(file)
	return rules, seenAt, err
}
