// Package dw embeds what the binary carries besides code.
package dw

import _ "embed"

// ExampleConfig is config.example.yaml: complete, commented, and tested.
//
//go:embed config.example.yaml
var ExampleConfig []byte
