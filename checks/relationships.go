package checks

import (
	"fmt"
	"strings"
)

// reference is a key of a table and the key of another that it must be found in.
type reference struct {
	child, parent target
	columns       []string // quoted, of the child
	keys          []string // quoted, of the parent
	filter        filter   // on the child
}

// relationships runs a relationships check: rows whose key is not in the other
// table. A key with a NULL in it refers to nothing and is not judged; a NULL in
// the other table matches nothing.
func (r *runner) relationships() error {
	ref, err := r.reference()
	if err != nil {
		return err
	}
	s := ref.statement()
	counts, err := r.counts(s, 3)
	if err != nil {
		return err
	}
	rows, keys, orphans := counts[0], counts[1], counts[2]
	key := strings.Join(r.spec.Columns, ", ")
	text := fmt.Sprintf("%s of %s values of %s in %s are not in %s", countText(orphans), countText(keys), key, ref.child.name, ref.parent.name)
	if rows == 0 {
		if text, err = r.nothingJudged(ref.child, ref.filter); err != nil {
			return err
		}
	}
	value, unit := r.inUnit(orphans, keys)
	text += percentText(value, unit)
	if nulls := rows - keys; nulls > 0 {
		text += fmt.Sprintf(" (%s more rows have none)", countText(nulls))
	}
	if orphans > 0 {
		example, err := r.examples(ref.samples(), r.spec.Columns)
		if err != nil {
			return err
		}
		text += example
	}
	r.observe(value, unit)
	r.defaultThreshold(Threshold{Op: "="})
	return r.settle(value, text)
}

// reference resolves both tables and their keys.
func (r *runner) reference() (ref reference, err error) {
	if ref.child, ref.filter, err = r.judgedTable(); err != nil {
		return ref, err
	}
	if ref.parent, err = resolve(r.ctx, r.q, r.spec.To); err != nil {
		return ref, err
	}
	if ref.columns, err = ref.child.columnList(r.spec.Columns); err != nil {
		return ref, err
	}
	names := r.spec.ToColumns
	if len(names) == 0 {
		names = r.spec.Columns
	}
	ref.keys, err = ref.parent.columnList(names)
	return ref, err
}

// statement counts the rows, those with a key, and those whose key is not found.
// The third is an anti-join of its own, which a database plans better than a
// question asked of each row.
func (ref reference) statement() *statement {
	s := (&statement{dialect: ref.child.dialect}).
		add("SELECT count(*), count(CASE WHEN ", ref.present(), " THEN 1 END), (SELECT count(*) FROM ", ref.child.quoted)
	return ref.orphans(s).add(") FROM ", ref.child.quoted).only("WHERE", ref.filter)
}

// samples reads the most frequent keys that are not found.
func (ref reference) samples() *statement {
	list := strings.Join(ref.columns, ", ")
	s := (&statement{dialect: ref.child.dialect}).add("SELECT ", list, ", count(*) FROM ", ref.child.quoted)
	return ref.orphans(s).add(" GROUP BY ", list, " ORDER BY count(*) DESC, ", list, " LIMIT ").bind(int64(sampleKeys))
}

// present is the condition that a row has a key.
func (ref reference) present() string {
	return strings.Join(ref.columns, " IS NOT NULL AND ") + " IS NOT NULL"
}

// orphans appends the condition that a row has a key which is not found.
func (ref reference) orphans(s *statement) *statement {
	s.add(" WHERE ", ref.present()).only("AND", ref.filter).add(" AND NOT EXISTS (SELECT 1 FROM ", ref.parent.quoted, " AS parent WHERE ")
	for i, key := range ref.keys {
		if i > 0 {
			s.add(" AND ")
		}
		s.add("parent.", key, " = ", ref.child.quoted, ".", ref.columns[i])
	}
	return s.add(")")
}
