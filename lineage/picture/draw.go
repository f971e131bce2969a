package picture

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image/png"
	"os/exec"
	"time"

	"github.com/goccy/go-graphviz"
)

// SVG draws the picture. It needs nothing but dw.
func (p Picture) SVG(ctx context.Context) (_ []byte, err error) {
	g, err := graphviz.New(ctx)
	if err != nil {
		return nil, fmt.Errorf("draw: %w", err)
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	graph, err := graphviz.ParseBytes([]byte(p.DOT()))
	if err != nil {
		return nil, fmt.Errorf("draw: %w", err)
	}
	defer func() { err = errors.Join(err, graph.Close()) }()
	var out bytes.Buffer
	if err := g.Render(ctx, graph, graphviz.SVG, &out); err != nil {
		return nil, fmt.Errorf("draw: %w", err)
	}
	return out.Bytes(), nil
}

// ErrNoPNG says that this machine has no program that makes a PNG.
var ErrNoPNG = errors.New("a PNG needs the program dot (Debian: graphviz) or rsvg-convert (librsvg2-bin); SVG and Mermaid need neither")

// pngTimeout bounds the program that makes a PNG.
const pngTimeout = 30 * time.Second

// PNG draws the picture by dot or by rsvg-convert, whichever this machine has; with
// neither the answer is ErrNoPNG. What comes out is decoded before it is returned.
func (p Picture) PNG(ctx context.Context) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, pngTimeout)
	defer cancel()
	if path, err := exec.LookPath("dot"); err == nil {
		return convert(exec.CommandContext(ctx, path, "-Tpng", "-Gdpi=144"), []byte(p.DOT()))
	}
	path, err := exec.LookPath("rsvg-convert")
	if err != nil {
		return nil, ErrNoPNG
	}
	svg, err := p.SVG(ctx)
	if err != nil {
		return nil, err
	}
	return convert(exec.CommandContext(ctx, path, "--format=png", "--zoom=1.5", "--background-color=white"), svg)
}

func convert(cmd *exec.Cmd, in []byte) ([]byte, error) {
	var out, said bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(in), &out, &said
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s: %w: %s", cmd.Path, err, bytes.TrimSpace(said.Bytes()))
	}
	if _, err := png.Decode(bytes.NewReader(out.Bytes())); err != nil {
		return nil, fmt.Errorf("%s made no PNG: %w", cmd.Path, err)
	}
	return out.Bytes(), nil
}
