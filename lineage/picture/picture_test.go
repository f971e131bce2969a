package picture_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/png"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"dw/lineage"
	"dw/lineage/picture"
)

var (
	update = flag.Bool("update", false, "write the golden files anew")
	noon   = time.Date(2026, time.November, 30, 12, 35, 0, 0, time.UTC)
)

// radius is a subject with a way of three to a job that moves money, and as many
// dashboards beside as asked for.
func radius(name string, beside int) lineage.BlastRadius {
	due := noon.Add(13*time.Hour + 25*time.Minute)
	pay := lineage.Consumer{
		ID: "dagster://pay", Kind: lineage.KindJob, Name: name, Owner: "finance", Moves: lineage.MovesMoney, NextRead: &due,
		Path: []lineage.AssetID{"dbt://s/orders", "dbt://s/fct", "dagster://pay"},
	}
	fct := lineage.Consumer{ID: "dbt://s/fct", Kind: lineage.KindModel, Name: "fct", Carries: true, Path: []lineage.AssetID{"dbt://s/orders", "dbt://s/fct"}}
	b := lineage.BlastRadius{Subject: "dbt://s/orders", Name: name, At: noon, Consumers: []lineage.Consumer{pay}, First: &pay, Next: &pay, Counts: map[lineage.Kind]int{lineage.KindJob: 1}}
	for i := range beside {
		id := lineage.AssetID(fmt.Sprintf("looker://d%d", i))
		b.Consumers = append(b.Consumers, lineage.Consumer{ID: id, Kind: lineage.KindDashboard, Name: fmt.Sprintf("d%d", i), Unknown: true, Path: []lineage.AssetID{"dbt://s/orders", "dbt://s/fct", id}})
	}
	b.Consumers = append(b.Consumers, fct)
	return b
}

// long is a way of twelve.
func long() lineage.BlastRadius {
	b := radius("payouts", 0)
	path := []lineage.AssetID{b.Subject}
	for i := range 10 {
		path = append(path, lineage.AssetID(fmt.Sprintf("dbt://s/m%d", i)))
		b.Consumers = append(b.Consumers, lineage.Consumer{ID: path[i+1], Name: fmt.Sprintf("m%d", i), Kind: lineage.KindModel, Carries: true, Path: slices.Clone(path)})
	}
	b.First.Path = append(path, b.First.ID)
	return b
}

const hostile = "a\"b\\N<!channel> & `x` [y] | \u202e\n#1; é漢🦀"

func TestGolden(t *testing.T) {
	t.Parallel()
	for name, p := range map[string]picture.Picture{
		"day": picture.Of(radius("payouts", 2), picture.Most, noon), "many": picture.Of(radius("payouts", 300), 6, noon), "long": picture.Of(long(), 5, noon), "hostile": picture.Of(radius(hostile, 0), picture.Most, noon),
	} {
		for ending, text := range map[string]string{".dot": p.DOT(), ".mmd": p.Mermaid()} {
			path := filepath.Join("testdata", name+ending)
			if *update {
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if want, err := os.ReadFile(path); err != nil || string(want) != text {
				t.Errorf("%s differs (%v); go test ./lineage/picture -update, then read the diff\n%s", path, err, text)
			}
		}
	}
}

// TestSVG: the picture is well-formed, holds a name as a person wrote it, and runs
// nothing.
func TestSVG(t *testing.T) {
	t.Parallel()
	svg, err := picture.Of(radius(hostile, 1), picture.Most, noon).SVG(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("the SVG is not well-formed: %v\n%s", err, svg)
		}
		switch token := token.(type) {
		case xml.CharData:
			text.Write(token)
		case xml.StartElement:
			if strings.EqualFold(token.Name.Local, "script") || strings.EqualFold(token.Name.Local, "a") {
				t.Errorf("the SVG has a <%s>", token.Name.Local)
			}
		}
	}
	if got := strings.Join(strings.Fields(text.String()), " "); !strings.Contains(got, "a\"b\\N<!channel> & `x` [y] | #1; é漢🦀") || !strings.Contains(got, "owner finance") {
		t.Errorf("the SVG says %s", got)
	}
}

// TestPNG looks at the pixels of what each program draws: the boxes are filled as
// their roles say, and the way to the first harm is drawn. A picture that lost its
// edges is noticed.
func TestPNG(t *testing.T) {
	for _, program := range []string{"dot", "rsvg-convert"} {
		t.Run(program, func(t *testing.T) {
			path, err := exec.LookPath(program)
			if err != nil {
				if os.Getenv("CI") == "true" {
					t.Fatal(err)
				}
				t.Skip(err)
			}
			alone := t.TempDir() // in which the other program is not found
			if err := os.Symlink(path, filepath.Join(alone, program)); err != nil {
				t.Fatal(err)
			}
			t.Setenv("PATH", alone)
			drawn, err := picture.Of(radius("payouts", 40), picture.Most, noon).PNG(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			img, err := png.Decode(bytes.NewReader(drawn))
			if err != nil {
				t.Fatal(err)
			}
			for what, want := range map[string]struct {
				colour [3]uint32
				least  int
			}{
				"subject": {[3]uint32{0xfd, 0xe6, 0x8a}, 500}, "first harm": {[3]uint32{0xfe, 0xca, 0xca}, 500}, "others": {[3]uint32{0xe5, 0xe7, 0xeb}, 5000},
				"the way to the first harm": {[3]uint32{0x99, 0x1b, 0x1b}, 100}, "arrows": {[3]uint32{0x6b, 0x72, 0x80}, 300},
			} {
				if n := pixels(img, want.colour); n < want.least {
					t.Errorf("%s: %d pixels, want %d or more of a picture of %v", what, n, want.least, img.Bounds())
				}
			}
		})
	}
	t.Run("neither", func(t *testing.T) {
		t.Setenv("PATH", t.TempDir())
		if _, err := picture.Of(radius("payouts", 0), picture.Most, noon).PNG(t.Context()); !errors.Is(err, picture.ErrNoPNG) {
			t.Errorf("without a program: %v", err)
		}
	})
}

func pixels(img image.Image, colour [3]uint32) (n int) {
	for y := img.Bounds().Min.Y; y < img.Bounds().Max.Y; y++ {
		for x := img.Bounds().Min.X; x < img.Bounds().Max.X; x++ {
			r, g, b, _ := img.At(x, y).RGBA()
			if near(r>>8, colour[0]) && near(g>>8, colour[1]) && near(b>>8, colour[2]) {
				n++
			}
		}
	}
	return n
}

func near(a, b uint32) bool { return max(a, b)-min(a, b) <= 6 }

// TestFits: whatever the radius, there are few boxes, the first harm and the way to
// it are among them, arrows lead between boxes, and each asset is shown or counted.
func TestFits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.IntRange(3, 30).Draw(t, "most")
		b := lineage.BlastRadius{Subject: "x://0", Name: "0", At: noon}
		paths := map[lineage.AssetID][]lineage.AssetID{"x://0": {"x://0"}}
		ids := []lineage.AssetID{"x://0"}
		for i := range rapid.IntRange(0, 60).Draw(t, "consumers") {
			id := lineage.AssetID(fmt.Sprintf("x://%d", i+1))
			parent := rapid.SampledFrom(ids).Draw(t, "parent")
			paths[id] = append(append([]lineage.AssetID{}, paths[parent]...), id)
			ids = append(ids, id)
			due := noon.Add(time.Duration(i) * time.Hour)
			b.Consumers = append(b.Consumers, lineage.Consumer{ID: id, Name: string(id), Kind: lineage.KindJob, Path: paths[id], NextRead: &due})
		}
		if len(b.Consumers) > 0 {
			b.First = &b.Consumers[rapid.IntRange(0, len(b.Consumers)-1).Draw(t, "first")]
		}
		p := picture.Of(b, most, noon)
		boxes := map[string]bool{}
		for _, box := range p.Boxes {
			boxes[box.ID] = true
		}
		assets := len(p.Boxes)
		if boxes["more"] {
			assets--
		}
		switch {
		case len(p.Boxes) > most || len(boxes) != len(p.Boxes):
			t.Fatalf("%d boxes, %d of them different, most %d", len(p.Boxes), len(boxes), most)
		case b.First != nil && !boxes[string(b.First.ID)]:
			t.Fatal("the first harm is not shown")
		case assets+p.Left != len(b.Consumers)+1:
			t.Fatalf("%d shown, %d left out, %d are there", assets, p.Left, len(b.Consumers)+1)
		}
		for _, a := range p.Arrows {
			if !boxes[a.From] || !boxes[a.To] {
				t.Fatalf("an arrow leads to no box: %v", a)
			}
			if way := paths[lineage.AssetID(a.To)]; a.To != "more" && a.Skips != len(way)-len(paths[lineage.AssetID(a.From)])-1 {
				t.Fatalf("%v seems to lead from one to the next", a)
			}
		}
	})
}
