package dagster

import (
	"slices"

	"github.com/vektah/gqlparser/v2/ast"
)

// object is a value of the API with its fields, "__typename" included.
type object map[string]any

// execute resolves the root fields of an operation and keeps what was selected.
func (s *Server) execute(op *ast.OperationDefinition, vars map[string]any, broken bool) map[string]any {
	out := map[string]any{}
	root := "Query"
	if op.Operation == ast.Mutation {
		root = "Mutation"
	}
	for _, f := range fields(op.SelectionSet, root) {
		var value any
		switch {
		case f.Name == "__typename":
			value = root
		case broken:
			value = pythonError("dagster._core.errors.DagsterUserCodeUnreachableError: the code server cannot be reached")
		default:
			value = s.resolve(f, args(f.ArgumentMap(vars)))
		}
		out[f.Alias] = project(f.SelectionSet, value)
	}
	return out
}

// resolve answers one root field.
func (s *Server) resolve(f *ast.Field, a args) any {
	switch f.Name {
	case "version":
		return "stand-in"
	case "__schema":
		return s.describe()
	case "__type":
		return s.describeType(a.text("name"))
	case "launchRun", "launchPipelineExecution":
		return s.launch(a.sub("executionParams"))
	case "runsOrError":
		return s.listRuns(a)
	case "runOrError":
		return s.oneRun(a.text("runId"))
	case "pipelineOrError":
		return s.job(a.sub("params"))
	case "scheduleOrError":
		return s.schedule(a.sub("scheduleSelector"))
	case "startSchedule":
		return s.start(a.sub("scheduleSelector"))
	case "stopRunningSchedule":
		return s.stopSchedule(a)
	}
	return pythonError("NotImplementedError: " + f.Name)
}

// project keeps the selected fields of a value; a fragment counts where its type
// is the value's own or one of its interfaces.
func project(sel ast.SelectionSet, value any) any {
	switch v := value.(type) {
	case []object:
		out := make([]any, len(v))
		for i := range v {
			out[i] = project(sel, v[i])
		}
		return out
	case object:
		if v == nil {
			return nil
		}
		out := map[string]any{}
		name, _ := v["__typename"].(string)
		for _, f := range fields(sel, name) {
			out[f.Alias] = project(f.SelectionSet, v[f.Name])
		}
		return out
	}
	return value
}

// fields flattens a selection for an object of the named type; "" takes all.
func fields(sel ast.SelectionSet, typename string) []*ast.Field {
	var out []*ast.Field
	for _, s := range sel {
		switch s := s.(type) {
		case *ast.Field:
			out = append(out, s)
		case *ast.InlineFragment:
			if applies(s.TypeCondition, typename) {
				out = append(out, fields(s.SelectionSet, typename)...)
			}
		case *ast.FragmentSpread:
			if applies(s.Definition.TypeCondition, typename) {
				out = append(out, fields(s.Definition.SelectionSet, typename)...)
			}
		}
	}
	return out
}

func applies(condition, typename string) bool {
	if condition == "" || typename == "" || condition == typename {
		return true
	}
	return condition == "Error" && slices.Contains(errorTypes(), typename)
}

// errorTypes are the types that implement the interface Error.
func errorTypes() []string {
	return []string{
		"PipelineNotFoundError", "RunConflict", "UnauthorizedError", "PythonError", "InvalidSubsetError", "PresetNotFoundError",
		"ConflictingExecutionParamsError", "NoModeProvidedError", "InvalidPipelineRunsFilterError", "RunNotFoundError", "ScheduleNotFoundError",
	}
}

// args are the arguments of a field.
type args map[string]any

func (a args) text(name string) string {
	s, _ := a[name].(string)
	return s
}

func (a args) sub(name string) args {
	m, _ := a[name].(map[string]any)
	return m
}

func (a args) list(name string) []args {
	var out []args
	items, _ := a[name].([]any)
	for _, item := range items {
		if m, ok := item.(map[string]any); ok {
			out = append(out, m)
		}
	}
	return out
}

func pythonError(message string) object {
	return object{"__typename": "PythonError", "message": message, "className": nil, "stack": []string{}}
}

// describe answers __schema for the root type of mutations.
func (s *Server) describe() object {
	return object{
		"__typename":   "__Schema",
		"queryType":    s.describeType(s.schema.Query.Name),
		"mutationType": s.describeType(s.schema.Mutation.Name),
	}
}

// describeType answers __type: names of fields and of their arguments.
func (s *Server) describeType(name string) any {
	def := s.schema.Types[name]
	if def == nil {
		return nil
	}
	var list []object
	for _, f := range def.Fields {
		if len(f.Name) > 2 && f.Name[:2] == "__" {
			continue
		}
		arguments := []object{}
		for _, arg := range f.Arguments {
			arguments = append(arguments, object{"__typename": "__InputValue", "name": arg.Name})
		}
		list = append(list, object{"__typename": "__Field", "name": f.Name, "args": arguments})
	}
	return object{"__typename": "__Type", "name": def.Name, "fields": list}
}
