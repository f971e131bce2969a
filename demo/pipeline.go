package demo

import (
	"fmt"
	"os"

	"go.yaml.in/yaml/v3"
)

// encoderName is the processor that puts values into the wire format.
const encoderName = "schema_registry_encode"

// pipelineEncodes reads the deployed pipeline file as its runtime would, and
// reports whether records pass an encoder on their way out.
func pipelineEncodes(path string) (bool, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return false, fmt.Errorf("read the deployed pipeline: %w", err)
	}
	var root yaml.Node
	if err := yaml.Unmarshal(content, &root); err != nil {
		return false, fmt.Errorf("the deployed pipeline %s cannot start: %w", path, err)
	}
	return hasKey(&root, encoderName), nil
}

func hasKey(n *yaml.Node, key string) bool {
	for i, child := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 && child.Value == key {
			return true
		}
		if hasKey(child, key) {
			return true
		}
	}
	return false
}
