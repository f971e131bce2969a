package bot

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// clockedAPI answers every call and notes the virtual time at which it came.
type clockedAPI struct {
	start time.Time
	mu    sync.Mutex
	at    map[string][]time.Duration // by method
}

func (a *clockedAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	method := r.URL.Path[len("/api/"):]
	a.at[method] = append(a.at[method], time.Since(a.start))
	fmt.Fprint(w, `{"ok":true,"channel":"C1","ts":"1.1"}`)
}

// TestUpdatesAndPostsDoNotWaitForEachOther: posts go one a second and channel,
// updates fifty a minute over all channels.
func TestUpdatesAndPostsDoNotWaitForEachOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		api := &clockedAPI{start: time.Now(), at: map[string][]time.Duration{}}
		c := client(t, api.ServeHTTP, ClientOptions{MaxWait: time.Hour})
		var all sync.WaitGroup
		for n := range 60 {
			all.Go(func() {
				if err := c.Update(context.Background(), fmt.Sprintf("C%d", n%3), "1.1", Message{Text: "x"}); err != nil {
					t.Error(err)
				}
			})
			all.Go(func() {
				if _, err := c.Post(context.Background(), "C1", Message{Text: "x"}, PostOptions{}); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		for method, p := range map[string]pace{methodPost: postPace(), methodUpdate: updatePace()} {
			got := api.at[method]
			slices.Sort(got)
			for n, at := range got {
				if want := max(0, time.Duration(n-p.burst+1)) * p.every; at != want {
					t.Fatalf("%s number %d came after %s, want %s", method, n, at, want)
				}
			}
			if len(got) != 60 {
				t.Errorf("%d of 60 calls of %s", len(got), method)
			}
		}
	})
}

// TestUpdatesKeepTheirOrder: the newest state of a message is painted last.
func TestUpdatesKeepTheirOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var texts []string
		c := client(t, func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			texts = append(texts, r.FormValue("text"))
			fmt.Fprint(w, `{"ok":true,"channel":"C1","ts":"1.1"}`)
		}, ClientOptions{})
		if err := spend(c.pacer.updates); err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		want := []string{"one", "two", "three", "four"}
		for _, text := range want {
			all.Go(func() {
				if err := c.Update(context.Background(), "C1", "1.1", Message{Text: text}); err != nil {
					t.Error(err)
				}
			})
			synctest.Wait() // it stands in the queue
		}
		all.Wait()
		if !slices.Equal(texts, want) {
			t.Fatalf("updates came as %v", texts)
		}
	})
}

// spend takes what may be done at once.
func spend(l *lane) error {
	for range l.burst {
		if _, err := l.take(context.Background(), false, time.Minute); err != nil {
			return err
		}
	}
	return nil
}
