package openlineage

import "encoding/json"

// event is what dw reads of a RunEvent, a JobEvent or a DatasetEvent. It names
// only what dw uses: producers add facets of their own, and keys with every
// version.
type event struct {
	EventTime *string   `json:"eventTime"`
	EventType string    `json:"eventType"`
	Producer  string    `json:"producer"`
	Job       *job      `json:"job"`
	Dataset   *dataset  `json:"dataset"`
	Run       *run      `json:"run"`
	Inputs    []dataset `json:"inputs"`
	Outputs   []dataset `json:"outputs"`
}

type run struct {
	RunID  string    `json:"runId"`
	Facets runFacets `json:"facets"`
}

type runFacets struct {
	Parent *struct {
		Job identifier `json:"job"`
	} `json:"parent"`
}

type job struct {
	identifier
	Facets jobFacets `json:"facets"`
}

type jobFacets struct {
	Documentation      *documentation `json:"documentation"`
	Ownership          *ownership     `json:"ownership"`
	JobType            *jobType       `json:"jobType"`
	SourceCodeLocation *codeLocation  `json:"sourceCodeLocation"`
	Lineage            *jobLineage    `json:"lineage"`
}

type dataset struct {
	identifier
	Facets datasetFacets `json:"facets"`
}

// identifier names a dataset or a job. A pointer tells a missing name from an
// empty one.
type identifier struct {
	Namespace *string `json:"namespace"`
	Name      *string `json:"name"`
}

type datasetFacets struct {
	Documentation *documentation `json:"documentation"`
	Ownership     *ownership     `json:"ownership"`
	Schema        *struct {
		Fields []field `json:"fields"`
	} `json:"schema"`
	Symlinks *struct {
		Identifiers []symlink `json:"identifiers"`
	} `json:"symlinks"`
	DatasetType *struct {
		DatasetType string `json:"datasetType"`
	} `json:"datasetType"`
	Lifecycle *struct {
		Change   string      `json:"lifecycleStateChange"`
		Previous *identifier `json:"previousIdentifier"`
	} `json:"lifecycleStateChange"`
	Storage *struct {
		Layer  string `json:"storageLayer"`
		Format string `json:"fileFormat"`
	} `json:"storage"`
	ColumnLineage *columnLineage  `json:"columnLineage"`
	Lineage       *datasetLineage `json:"lineage"`
}

type documentation struct {
	Description string `json:"description"`
}

type ownership struct {
	Owners []struct {
		Name *string `json:"name"`
		Type string  `json:"type"`
	} `json:"owners"`
}

type jobType struct {
	Integration    string `json:"integration"`
	JobType        string `json:"jobType"`
	ProcessingType string `json:"processingType"`
}

type codeLocation struct {
	URL string `json:"url"`
}

type field struct {
	Name        string  `json:"name"`
	Type        anyText `json:"type"`
	Description string  `json:"description"`
	Fields      []field `json:"fields"`
}

type symlink struct {
	identifier
	Type string `json:"type"`
}

// columnLineage is the ColumnLineageDatasetFacet, 1-0-0 to 1-2-0.
type columnLineage struct {
	Fields map[string]struct {
		InputFields []inputField `json:"inputFields"`
	} `json:"fields"`
	Dataset []inputField `json:"dataset"`
}

type inputField struct {
	identifier
	Field           string           `json:"field"`
	Transformations []transformation `json:"transformations"`
}

type transformation struct {
	Type    string `json:"type"`
	Subtype string `json:"subtype"`
}

// datasetLineage is the LineageDatasetFacet.
type datasetLineage struct {
	Inputs []lineageInput          `json:"inputs"`
	Fields map[string]lineageField `json:"fields"`
}

// jobLineage is the LineageJobFacet.
type jobLineage struct {
	Entries []lineageEntry `json:"entries"`
}

type lineageEntry struct {
	identifier
	Type   string                  `json:"type"`
	Inputs []lineageInput          `json:"inputs"`
	Fields map[string]lineageField `json:"fields"`
}

type lineageField struct {
	Inputs []lineageInput `json:"inputs"`
}

type lineageInput struct {
	inputField
	Type string `json:"type"`
}

// anyText is a text that some producers write as an object: the type of a
// nested column.
type anyText string

// UnmarshalJSON is for encoding/json. What is no text is kept as it stands.
func (t *anyText) UnmarshalJSON(text []byte) error {
	if text[0] == '"' {
		return json.Unmarshal(text, (*string)(t))
	}
	if string(text) != "null" {
		*t = anyText(text)
	}
	return nil
}
