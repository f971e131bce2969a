package app

import (
	"fmt"
	"io"
	"os"
)

// maxFile bounds one deployed file that is read for a diagnosis or a diff.
const maxFile = 4 << 20

// files meets diagnosis.FileReader. It reads below a root only: a name that
// leads out of it, also through a link, is refused by the system.
type files struct{}

// ReadFile reads name below root.
func (files) ReadFile(root, name string) ([]byte, error) {
	if root == "" {
		return nil, fmt.Errorf("read %s: no root folder is configured for it", name)
	}
	folder, err := os.OpenRoot(root)
	if err != nil {
		return nil, fmt.Errorf("open root of %s: %w", name, err)
	}
	defer folder.Close() //nolint:errcheck // only read
	file, err := folder.Open(name)
	if err != nil {
		return nil, fmt.Errorf("open deployed file: %w", err)
	}
	defer file.Close() //nolint:errcheck // only read
	content, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("read deployed file %s: %w", name, err)
	}
	if len(content) > maxFile {
		return nil, fmt.Errorf("deployed file %s is larger than %d bytes", name, maxFile)
	}
	return content, nil
}
