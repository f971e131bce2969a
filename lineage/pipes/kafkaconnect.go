package pipes

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"dw/lineage"
	"dw/lineage/sqltables"
)

// LoadKafkaConnect reads connectors of Kafka Connect: one as it is posted
// (`{"name", "config"}`), its bare configuration, or the answer of
// GET /connectors?expand=info. Sinks read topics, sources write them; of the
// connectors of Debezium, JDBC, BigQuery, Snowflake, S3 and Iceberg the other
// side is known, too.
func LoadKafkaConnect(content []byte, opts Options) (lineage.Statements, error) {
	if len(content) > maxFile {
		return lineage.Statements{}, fmt.Errorf("read Kafka Connect connector: it has %d bytes, dw reads at most %d", len(content), maxFile)
	}
	var root map[string]any
	if err := json.Unmarshal(content, &root); err != nil {
		return lineage.Statements{}, fmt.Errorf("read Kafka Connect connector: %w", err)
	}
	found := connectors(root, opts.Name)
	if len(found) == 0 {
		return lineage.Statements{}, errors.New("read Kafka Connect connector: there is no connector.class in it")
	}
	var out lineage.Statements
	for _, name := range slices.Sorted(maps.Keys(found)) {
		if name == "" {
			return lineage.Statements{}, errors.New("read Kafka Connect connector: it has no name")
		}
		c := connector{flow: flow{opts: opts}, config: found[name]}
		c.read()
		more := c.flow.statements(lineage.AssetID("kafka-connect://"+name), name, SourceKafkaConnect)
		out.Assets, out.Edges = append(out.Assets, more.Assets...), append(out.Edges, more.Edges...)
	}
	return out.Folded(), nil
}

// connectors finds the configurations by name.
func connectors(root map[string]any, name string) map[string]map[string]any {
	out := map[string]map[string]any{}
	if given := text(root["name"]); given != "" {
		name = given
	}
	if config, ok := root["config"].(map[string]any); ok && config["connector.class"] != nil {
		out[name] = config
		return out
	}
	if root["connector.class"] != nil {
		out[name] = root
		return out
	}
	for key, value := range root {
		one, _ := value.(map[string]any)
		info, _ := one["info"].(map[string]any)
		if config, ok := info["config"].(map[string]any); ok && config["connector.class"] != nil {
			out[key] = config
		}
	}
	return out
}

type connector struct {
	flow   flow
	config map[string]any
}

// get returns the first of the keys that is set.
func (c *connector) get(keys ...string) string {
	for _, key := range keys {
		if value := text(c.config[key]); value != "" {
			return value
		}
	}
	return ""
}

func (c *connector) list(keys ...string) []string {
	var out []string
	for part := range strings.SplitSeq(c.get(keys...), ",") {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}

// read goes by the class of the connector.
func (c *connector) read() {
	class := c.get("connector.class")
	short := class[strings.LastIndex(class, ".")+1:]
	c.flow.component = append(c.flow.component, short)
	switch {
	case strings.HasPrefix(class, "io.debezium.") && !strings.Contains(short, "Sink"):
		c.debezium(class)
	case strings.Contains(short, "JdbcSource"):
		c.jdbcSource()
	case c.get("topics", "topics.regex") != "":
		c.sink(short)
	default:
		c.flow.unknown = append(c.flow.unknown, "what "+short+" reads and writes")
	}
}

// routed says that a transformation gives records another topic.
func (c *connector) routed() bool {
	for _, name := range c.list("transforms") {
		if class := c.get("transforms." + name + ".type"); strings.Contains(class, "Router") {
			c.flow.unknown = append(c.flow.unknown, "topics, which "+name+" changes")
			return true
		}
	}
	return false
}

// debezium writes each table to a topic: the prefix and the table's name.
func (c *connector) debezium(class string) {
	system, _, _ := strings.Cut(strings.TrimPrefix(class, "io.debezium.connector."), ".")
	if system == "postgresql" {
		system = "postgres"
	}
	host := c.get("database.hostname")
	if port := c.get("database.port"); host != "" && port != "" {
		host += ":" + port
	}
	routed, prefix := c.routed(), c.get("topic.prefix", "database.server.name")
	for _, name := range c.list("table.include.list", "table.whitelist", "collection.include.list") {
		name = strings.ReplaceAll(name, `\.`, ".")
		if strings.ContainsAny(name, `*[]()|+?\$^`) {
			c.flow.unknown = append(c.flow.unknown, "tables that match "+name)
			continue
		}
		full := name
		if database := c.get("database.dbname", "database.names"); database != "" && system != "mysql" {
			full = database + "." + name
		}
		c.pair(table(system, host, full), c.flow.opts.topic(prefix+"."+name), !routed)
	}
}

// pair notes a table and the topic that it is written to.
func (c *connector) pair(from, to ref, known bool) {
	c.flow.reads = append(c.flow.reads, from)
	if known {
		c.flow.writes = append(c.flow.writes, to)
		c.flow.pairs = append(c.flow.pairs, [2]ref{from, to})
	}
}

func (c *connector) jdbcSource() {
	system, host, database := server(c.get("connection.url"), "")
	routed, prefix := c.routed(), c.get("topic.prefix")
	names := c.list("table.whitelist", "table.include.list")
	for _, name := range names {
		topic := name[strings.LastIndex(name, ".")+1:]
		c.pair(table(system, host, c.qualified(database, name)), c.flow.opts.topic(prefix+topic), !routed)
	}
	if query := c.get("query"); query != "" {
		for _, name := range sqltables.Read(query, system).Sources {
			c.pair(table(system, host, c.qualified(database, name)), c.flow.opts.topic(prefix), !routed)
		}
	} else if len(names) == 0 {
		c.flow.unknown = append(c.flow.unknown, "all tables of the database")
	}
}

// qualified puts the database in front of a name with a schema.
func (c *connector) qualified(database, name string) string {
	if database != "" && strings.Count(name, ".") == 1 {
		return database + "." + name
	}
	return name
}

// sink reads topics; where each topic's records go is known of some classes.
func (c *connector) sink(class string) {
	if pattern := c.get("topics.regex"); pattern != "" {
		c.flow.unknown = append(c.flow.unknown, "topics that match "+pattern)
	}
	for _, name := range c.list("topics") {
		topic := c.flow.opts.topic(name)
		c.flow.reads = append(c.flow.reads, topic)
		for _, to := range c.written(class, name) {
			c.flow.writes = append(c.flow.writes, to)
			c.flow.pairs = append(c.flow.pairs, [2]ref{topic, to})
		}
	}
	if tables := c.list("iceberg.tables"); len(tables) > 0 {
		for _, name := range tables {
			c.flow.writes = append(c.flow.writes, table("iceberg", "", name))
		}
	}
}

// written returns where a sink puts the records of a topic.
func (c *connector) written(class, topic string) []ref {
	switch {
	case strings.Contains(class, "JdbcSink"):
		system, host, _ := server(c.get("connection.url"), "")
		format := c.get("table.name.format", "collection.name.format")
		if format == "" {
			format = "${topic}"
		}
		name := strings.ReplaceAll(format, "${topic}", topic)
		if computed(name) || c.routed() {
			return nil
		}
		return []ref{table(system, host, name)}
	case strings.Contains(class, "BigQuerySink"):
		return []ref{table("bigquery", "", c.get("project")+"."+c.get("defaultDataset", "datasets")+"."+c.mapped("topic2TableMap", topic))}
	case strings.Contains(class, "Snowflake"):
		account, _, _ := strings.Cut(strings.TrimPrefix(c.get("snowflake.url.name"), "https://"), ".")
		return []ref{table("snowflake", account, c.get("snowflake.database.name")+"."+c.get("snowflake.schema.name")+"."+c.mapped("snowflake.topic2table.map", topic))}
	case strings.Contains(class, "S3Sink"):
		folder := c.get("topics.dir")
		if folder == "" {
			folder = "topics"
		}
		name := c.get("s3.bucket.name") + "/" + folder + "/" + topic
		return []ref{{id: lineage.AssetID("s3://" + name), kind: lineage.KindTable, name: topic}}
	}
	return nil
}

// mapped looks a topic up in "topic:table,topic:table".
func (c *connector) mapped(key, topic string) string {
	for _, pair := range c.list(key) {
		if from, to, found := strings.Cut(pair, ":"); found && strings.TrimSpace(from) == topic {
			return strings.TrimSpace(to)
		}
	}
	return topic
}
