package dagster

import "strings"

// instigation is the state of a schedule. Servers of today give an id of origin
// and selector; older ones give the origin alone.
func (s *Server) instigation(sch Schedule) object {
	status := "STOPPED"
	if sch.Running {
		status = "RUNNING"
	}
	id := originID(sch)
	if !s.opts.OldStop {
		id += "::" + selectorID(sch)
	}
	return object{"__typename": "InstigationState", "id": id, "selectorId": selectorID(sch), "name": sch.Name, "status": status}
}

func originID(sch Schedule) string   { return "origin-" + sch.Name }
func selectorID(sch Schedule) string { return "selector-" + sch.Name }

func (s *Server) find(sel args) (int, bool) {
	if sel.text("repositoryLocationName") != s.opts.Location || sel.text("repositoryName") != s.opts.Repository {
		return 0, false
	}
	for i, sch := range s.schedules {
		if sch.Name == sel.text("scheduleName") {
			return i, true
		}
	}
	return 0, false
}

func (s *Server) schedule(sel args) object {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, ok := s.find(sel)
	if !ok {
		name := sel.text("scheduleName")
		return object{"__typename": "ScheduleNotFoundError", "scheduleName": name, "message": "Schedule " + name + " is not present in the currently loaded repository."}
	}
	sch := s.schedules[i]
	return object{
		"__typename": "Schedule", "id": originID(sch), "name": sch.Name, "cronSchedule": sch.Cron, "pipelineName": sch.Job,
		"scheduleState": s.instigation(sch),
	}
}

func (s *Server) start(sel args) object {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, ok := s.find(sel)
	if !ok {
		return pythonError("dagster._core.errors.DagsterInvariantViolationError: no schedule " + sel.text("scheduleName"))
	}
	s.schedules[i].Running = true
	return object{"__typename": "ScheduleStateResult", "scheduleState": s.instigation(s.schedules[i])}
}

func (s *Server) stopSchedule(a args) object {
	origin, selector, _ := strings.Cut(a.text("id"), "::")
	if s.opts.OldStop {
		origin, selector = a.text("scheduleOriginId"), a.text("scheduleSelectorId")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, sch := range s.schedules {
		if originID(sch) == origin && selectorID(sch) == selector {
			s.schedules[i].Running = false
			return object{"__typename": "ScheduleStateResult", "scheduleState": s.instigation(s.schedules[i])}
		}
	}
	return pythonError("dagster._core.errors.DagsterInvariantViolationError: no schedule state " + origin)
}
