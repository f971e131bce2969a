package postgres

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// oldest is the oldest major version whose catalogue dw reads, and supported the
// oldest that its makers still mend (their versioning policy, November 2026).
const (
	oldest    = 12
	supported = 14
)

// lagging is how far behind a replica may be before it is said.
const lagging = 5 * time.Minute

// Advice looks at the role and the server and returns a line for each thing that
// should be otherwise, none where all is well. It reads the catalogue alone; the
// error is that it could not be read.
func (db *DB) Advice(ctx context.Context) ([]string, error) {
	var lines []string
	err := db.read(ctx, func(ctx context.Context, s *session) error {
		for _, ask := range []func(context.Context) ([]string, error){
			s.adviseServer, s.adviseRole, s.adviseGroups, s.adviseWrites, s.adviseCreates, s.adviseHidden, s.adviseSchemas,
		} {
			found, err := ask(ctx)
			if err != nil {
				return err
			}
			lines = append(lines, found...)
		}
		return nil
	})
	return lines, err
}

func (s *session) adviseServer(ctx context.Context) ([]string, error) {
	rows, err := s.rows(ctx, `SELECT current_setting('server_version_num')::int / 10000, current_setting('server_version'),
		pg_catalog.pg_is_in_recovery(), coalesce(extract(epoch FROM now() - pg_catalog.pg_last_xact_replay_timestamp()), -1)::float8`)
	if err != nil {
		return nil, err
	}
	var major int64
	var version string
	var standby bool
	var behind float64
	if err := scan(rows[0], &major, &version, &standby, &behind); err != nil {
		return nil, err
	}
	var lines []string
	switch {
	case major < oldest:
		lines = append(lines, fmt.Sprintf("PostgreSQL %s is older than %d, the oldest that dw reads; upgrade the server", version, oldest))
	case major < supported:
		lines = append(lines, fmt.Sprintf("PostgreSQL %s gets no more fixes from its makers; upgrade the server", version))
	}
	if lag := time.Duration(behind * float64(time.Second)); standby && lag > lagging {
		lines = append(lines, fmt.Sprintf("this is a replica, and the newest change it has seen is %s old: "+
			"checks may call data late that the primary has (a primary without writes looks the same)", lag.Round(time.Second)))
	}
	return lines, nil
}

func (s *session) adviseRole(ctx context.Context) ([]string, error) {
	rows, err := s.rows(ctx, `SELECT rolname, rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication,
		coalesce(array_to_string(rolconfig, ','), '') LIKE '%statement_timeout=%' OR current_database() IN
		(SELECT d.datname FROM pg_catalog.pg_db_role_setting AS x JOIN pg_catalog.pg_database AS d ON d.oid = x.setdatabase
		WHERE x.setrole = r.oid AND array_to_string(x.setconfig, ',') LIKE '%statement_timeout=%')
		FROM pg_catalog.pg_roles AS r WHERE rolname = current_user`)
	if err != nil {
		return nil, err
	}
	var role string
	var super, bypass, makesRoles, makesDatabases, replicates, limited bool
	if err := scan(rows[0], &role, &super, &bypass, &makesRoles, &makesDatabases, &replicates, &limited); err != nil {
		return nil, err
	}
	var lines []string
	say := func(is bool, format string) {
		if is {
			lines = append(lines, fmt.Sprintf(format, role))
		}
	}
	say(super, "role %s is a superuser: give dw a role of its own that may only read")
	say(bypass && !super, "role %s has BYPASSRLS: row security does not hold for it; ALTER ROLE … NOBYPASSRLS")
	say(makesRoles && !super, "role %s may make roles: ALTER ROLE … NOCREATEROLE")
	say(makesDatabases && !super, "role %s may make databases: ALTER ROLE … NOCREATEDB")
	say(replicates && !super, "role %s may replicate: ALTER ROLE … NOREPLICATION")
	say(!limited, "role %s has no statement_timeout of its own; dw sets one for each statement, "+
		"and ALTER ROLE … SET statement_timeout = '60s' is the second fence")
	return lines, nil
}

// adviseGroups names the predefined roles that reach beyond reading tables.
func (s *session) adviseGroups(ctx context.Context) ([]string, error) {
	names, err := s.names(ctx, `SELECT rolname FROM pg_catalog.pg_roles
		WHERE rolname IN ('pg_write_all_data', 'pg_execute_server_program', 'pg_read_server_files', 'pg_write_server_files', 'pg_signal_backend', 'pg_maintain')
		AND pg_catalog.pg_has_role(oid, 'USAGE') AND NOT (SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user) ORDER BY 1`)
	if err != nil || len(names) == 0 {
		return nil, err
	}
	return []string{"the role is a member of " + strings.Join(names, ", ") + ": REVOKE these; reading needs none of them"}, nil
}

// adviseWrites names tables that the role could change. A superuser could change
// all; that is said already.
func (s *session) adviseWrites(ctx context.Context) ([]string, error) {
	names, err := s.names(ctx, `SELECT n.nspname || '.' || c.relname FROM pg_catalog.pg_class AS c
		JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
		WHERE c.relkind IN `+relations+` AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\_toast%' AND n.nspname NOT LIKE 'pg\_temp%'
		AND pg_catalog.has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE')
		AND NOT (SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user) ORDER BY 1`)
	if err != nil || len(names) == 0 {
		return nil, err
	}
	return []string{fmt.Sprintf("the role may write to %s: REVOKE INSERT, UPDATE, DELETE, TRUNCATE, or own nothing", some(names))}, nil
}

func (s *session) adviseCreates(ctx context.Context) ([]string, error) {
	names, err := s.names(ctx, `SELECT nspname FROM pg_catalog.pg_namespace
		WHERE nspname NOT LIKE 'pg\_%' AND nspname <> 'information_schema' AND pg_catalog.has_schema_privilege(oid, 'CREATE')
		AND NOT (SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user) ORDER BY 1`)
	if err != nil || len(names) == 0 {
		return nil, err
	}
	return []string{fmt.Sprintf("the role may make tables in schema %s: REVOKE CREATE ON SCHEMA … FROM the role, or FROM PUBLIC", some(names))}, nil
}

// adviseHidden names tables of which row security shows this role a part.
func (s *session) adviseHidden(ctx context.Context) ([]string, error) {
	names, err := s.names(ctx, `SELECT n.nspname || '.' || c.relname FROM pg_catalog.pg_class AS c
		JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
		WHERE c.relrowsecurity AND pg_catalog.row_security_active(c.oid) ORDER BY 1`)
	if err != nil || len(names) == 0 {
		return nil, err
	}
	return []string{fmt.Sprintf("row security hides rows of %s from the role: checks count only what it sees", some(names))}, nil
}

// adviseSchemas names schemas that are to be searched and are not there, which
// PostgreSQL itself passes over in silence.
func (s *session) adviseSchemas(ctx context.Context) ([]string, error) {
	var lines []string
	for _, schema := range s.db.opts.Schemas {
		rows, err := s.rows(ctx, `SELECT pg_catalog.has_schema_privilege(oid, 'USAGE') FROM pg_catalog.pg_namespace WHERE nspname = $1`, schema)
		if err != nil {
			return nil, err
		}
		usable := false
		if len(rows) == 1 {
			err = scan(rows[0], &usable)
		}
		switch {
		case err != nil:
			return nil, err
		case len(rows) == 0:
			lines = append(lines, fmt.Sprintf("schema %s does not exist; correct schemas", schema))
		case !usable:
			lines = append(lines, fmt.Sprintf("the role may not look into schema %s: GRANT USAGE ON SCHEMA … to it", schema))
		}
	}
	return lines, nil
}

// some names up to three and counts the others.
func some(names []string) string {
	const shown = 3
	if len(names) <= shown {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:shown], ", "), len(names)-shown)
}
