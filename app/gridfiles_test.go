package app_test

// The files of the grid: its pipeline, model, manifest and configuration.

const relayFile = `input:
  http_server:
    path: /readings

pipeline:
  processors:
    - mapping: |
        root = this

output:
  kafka_franz:
    seed_brokers: ["127.0.0.1:9092"]
    topic: readings
`

const modelFile = `{{ config(materialized='table') }}

select
    reading_id,
    region,
    kwh,
    read_at
from {{ source('stream', 'readings') }}
`

const manifestFile = `{
  "metadata": {"dbt_schema_version": "https://schemas.getdbt.com/dbt/manifest/v12.json", "generated_at": "2026-06-10T03:00:00Z", "project_name": "grid"},
  "nodes": {
    "model.grid.fct_readings": {"unique_id": "model.grid.fct_readings", "resource_type": "model", "name": "fct_readings", "package_name": "grid",
      "original_file_path": "models/fct_readings.sql", "alias": "fct_readings", "relation_name": "\"main\".\"fct_readings\"",
      "columns": {"reading_id": {"name": "reading_id"}, "region": {"name": "region"}, "kwh": {"name": "kwh"}, "read_at": {"name": "read_at"}},
      "config": {"materialized": "table"}, "depends_on": {"nodes": ["source.grid.stream.readings"]}}
  },
  "sources": {
    "source.grid.stream.readings": {"unique_id": "source.grid.stream.readings", "resource_type": "source", "name": "readings", "source_name": "stream",
      "package_name": "grid", "identifier": "readings", "relation_name": "\"main\".\"readings\""},
    "source.grid.stream.readings_rejected": {"unique_id": "source.grid.stream.readings_rejected", "resource_type": "source", "name": "readings_rejected",
      "source_name": "stream", "package_name": "grid", "identifier": "readings_rejected", "relation_name": "\"main\".\"readings_rejected\""}
  },
  "exposures": {}, "parent_map": {}, "child_map": {}
}
`

const configFile = `instance: grid-test
timezone: UTC
slack:
  api_url: {api_url}
  bot_token: {bot_token}
  app_token: {app_token}
store: {dsn: dw.db}
receipts: {key_file: keys/receipts.key, checkpoint_every: 1}
server: {listen: "127.0.0.1:0"}
log: {level: info}
jobs: {tick: 0.1, poll: 0.1, timeout: 40, rescue_after: 41}
clock: {file: clock.json}
connections:
  warehouse: {kind: sqlite, path: warehouse.db}
dagster: {url: {dagster_url}, token: {vendor_key}, location: grid, timeout: 3}
people:
  olga: {slack: U0OWNER}
  dan: {email: dan@grid.example}
  esra: {slack: U0ESCAL}
  cleo: {slack: U0CC}
domains:
  grid:
    level: L2
    owner: olga
    deputy: dan
    escalation: [esra]
    cc: [cleo]
    channel: C0GRID
    settle: 10m
    remind_after: 15m
    escalate_after: 45m
    expire_after: 4h
    execute_within: 4h
    observe_every: 1m
    poll_every: 15s
    verify_after: 15m
    verify_every: 10m
    verify_within: 2h
lineage:
  manifests:
    - {path: project/manifest.json, root: project, domain: grid}
  assets:
    - id: kafka://readings
      kind: topic
      name: readings
      domain: grid
      feeds: ["dbt://grid/source.grid.stream.readings", "dbt://grid/source.grid.stream.readings_rejected"]
      properties: {iceberg.mode: value_schema_id_prefix, dead_letter: readings_rejected, schema_registry.url: "http://127.0.0.1:8081", schema_registry.raw_json: "true"}
    - id: connect://relay
      kind: pipeline
      name: relay
      domain: grid
      file: relay.yaml
      root: project
      feeds: ["kafka://readings"]
    - id: dbt://grid/model.grid.fct_readings
      kind: model
      domain: grid
      owners: [olga]
      properties:
        recover.key: reading_id
        recover.columns: |
          reading_id = $.reading_id as integer
          region = $.region
          kwh = $.kwh as real
          read_at = $.read_at
    - id: dagster://build_readings
      kind: job
      name: build_readings
      domain: grid
      feeds: ["dbt://grid/model.grid.fct_readings"]
    - id: dagster://bill_meters
      kind: job
      name: bill_meters
      domain: grid
      owners: [esra]
      fed_by: ["dbt://grid/model.grid.fct_readings"]
      schedule: 0 2 * * *
      moves: money
      harm: {connection: warehouse, query: "select count(distinct reading_id) from readings_rejected", unit: meters}
      properties: {dagster.schedule: nightly_bill}
    - id: looker://usage
      kind: explore
      name: usage
      domain: grid
      fed_by: ["dbt://grid/model.grid.fct_readings"]
      sla: "07:00"
checks:
  - name: readings per hour
    kind: volume
    asset: dbt://grid/model.grid.fct_readings
    connection: warehouse
    table: fct_readings
    time_column: read_at
    dimensions: [region]
    delay: 10m
    schedule: 20 * * * *
  - name: rejected readings
    kind: dead_letter
    asset: dbt://grid/source.grid.stream.readings
    connection: warehouse
    table: readings_rejected
    time_column: event_time
    schedule: 15 * * * *
  - name: reading ids are unique
    kind: unique
    asset: dbt://grid/model.grid.fct_readings
    connection: warehouse
    table: fct_readings
    columns: [reading_id]
    schedule: 40 * * * *
changes: {files: [changes.ndjson], tokens: [{intake_key}]}
`
