// Package store keeps dw's state in one database. A transaction commits rows,
// receipts and queued effects together or not at all.
//
// SQLite is built in; its settings and their reasons stand in pragmas.go. Each
// dialect has its own folder under migrations and queries, and every store must
// pass the suite in storetest.
package store
