// Package tableau reads answers of Tableau's Metadata API to the query of
// query.graphql: dashboards, the tables that they read, and which column feeds
// which field.
package tableau

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxFile is the most that is read of one answer, in bytes.
const maxFile = 64 << 20

// answer is what dw reads of an answer. Both forms of the question are known, with
// pages and without.
type answer struct {
	Data *struct {
		Workbooks  []workbook `json:"workbooks"`
		Connection *struct {
			Nodes []workbook `json:"nodes"`
		} `json:"workbooksConnection"`
	} `json:"data"`
	Errors []struct {
		Message    string `json:"message"`
		Extensions struct {
			Severity string `json:"severity"`
			Code     string `json:"code"`
		} `json:"extensions"`
	} `json:"errors"`
}

type workbook struct {
	LUID    string `json:"luid"`
	Name    string `json:"name"`
	Project string `json:"projectName"`
	URI     string `json:"uri"`
	Owner   *struct {
		Name  string `json:"name"`
		Email string `json:"email"`
	} `json:"owner"`
	Tables     []table     `json:"upstreamTables"`
	Dashboards []dashboard `json:"dashboards"`
}

type dashboard struct {
	LUID   string  `json:"luid"`
	Name   string  `json:"name"`
	Tables []table `json:"upstreamTables"`
	Sheets []struct {
		Fields []field `json:"sheetFieldInstances"`
	} `json:"sheets"`
}

type table struct {
	LUID     string `json:"luid"`
	Name     string `json:"name"`
	Schema   string `json:"schema"`
	Database *struct {
		Name           string `json:"name"`
		ConnectionType string `json:"connectionType"`
	} `json:"database"`
}

type field struct {
	Name    string `json:"name"`
	Columns []struct {
		Name  string `json:"name"`
		Table *struct {
			LUID string `json:"luid"`
		} `json:"table"`
	} `json:"upstreamColumns"`
}

// readAnswer decodes an answer. One with errors is refused: Tableau puts them beside
// data that is cut off, and what is missing cannot be told from what is not there.
// Warnings, such as that names are hidden from the person who asks, pass.
func readAnswer(r io.Reader) ([]workbook, error) {
	content, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return nil, err
	}
	if len(content) > maxFile {
		return nil, fmt.Errorf("it has more than %d bytes: ask for smaller pages", maxFile)
	}
	var a answer
	if err := json.Unmarshal(content, &a); err != nil {
		return nil, err
	}
	for _, e := range a.Errors {
		if !strings.EqualFold(e.Extensions.Severity, "WARNING") {
			return nil, fmt.Errorf("the answer is cut off (%q): ask for smaller pages", oneLine(e.Message))
		}
	}
	switch {
	case a.Data == nil:
		return nil, errors.New("it is no answer of the Metadata API: it has no data")
	case a.Data.Connection != nil:
		return a.Data.Connection.Nodes, nil
	case a.Data.Workbooks != nil:
		return a.Data.Workbooks, nil
	}
	return nil, errors.New("the answer has no workbooks: ask the query of docs/lineage.md")
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
