// Package store keeps dw's state in one database. A transaction commits rows,
// receipts and queued effects together or not at all.
//
// SQLite is built in and for one process; its settings and their reasons stand in
// pragmas.go. On PostgreSQL any number of processes share a database; the files
// postgres*.go say how they take turns and what is done when the server goes away.
// Each dialect has its own folder under migrations and queries, and every store
// must pass the suite in storetest.
package store
