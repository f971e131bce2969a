package dagster

import (
	"net/http"

	"github.com/vektah/gqlparser/v2/ast"
)

// FaultKind is a way in which a call goes wrong.
type FaultKind string

// The kinds of fault.
const (
	HangAfterEffect FaultKind = "hang_after_effect" // the effect happens, the answer never comes
	CutAfterEffect  FaultKind = "cut_after_effect"  // the effect happens, the connection is cut
	Status500       FaultKind = "status_500"        // before the effect
	PythonError     FaultKind = "python_error"      // a member of the union, HTTP 200, no effect
	TopLevelError   FaultKind = "top_level_error"   // errors[] with HTTP 200, no effect
)

// Fault makes the next call of a root field go wrong.
type Fault struct {
	Field string // "launchRun"
	Kind  FaultKind
}

// Fail queues a fault for the next call of its field.
func (s *Server) Fail(f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, f)
}

// takeFault removes the first fault of a field, "" where there is none.
func (s *Server) takeFault(field string) FaultKind {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, f := range s.faults {
		if f.Field == field {
			s.faults = append(s.faults[:i:i], s.faults[i+1:]...)
			return f.Kind
		}
	}
	return ""
}

// carryOut runs an operation with the fault of its first root field.
func (s *Server) carryOut(w http.ResponseWriter, r *http.Request, op *ast.OperationDefinition, vars map[string]any) {
	fault := FaultKind("")
	for _, f := range fields(op.SelectionSet, "") {
		if fault = s.takeFault(f.Name); fault != "" {
			break
		}
	}
	switch fault {
	case Status500:
		http.Error(w, "internal server error", http.StatusInternalServerError)
		return
	case TopLevelError:
		answer(w, http.StatusOK, map[string]any{"data": nil, "errors": []any{map[string]any{"message": "canceling statement due to statement timeout"}}})
		return
	}
	data := s.execute(op, vars, fault == PythonError)
	switch fault {
	case HangAfterEffect:
		select {
		case <-r.Context().Done():
		case <-s.ctx.Done():
		}
	case CutAfterEffect:
		panic(http.ErrAbortHandler) //nolint:forbidigo // the way of net/http to cut a connection
	default:
		answer(w, http.StatusOK, map[string]any{"data": data})
	}
}
