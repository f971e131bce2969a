package jobs

import (
	"encoding/json"
	"fmt"

	"dw/workflows"

	"github.com/riverqueue/river/rivertype"
)

// effectOf reads the effect that a job carries.
func effectOf(job *rivertype.JobRow) (workflows.Effect, error) {
	var args workflows.EffectJob
	if err := json.Unmarshal(job.EncodedArgs, &args); err != nil {
		return workflows.Effect{}, fmt.Errorf("read the effect of job %d: %w", job.ID, err)
	}
	return args.Effect, nil
}
