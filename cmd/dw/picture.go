package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"dw/checks"
	"dw/lineage"
	"dw/lineage/picture"
)

func pictureCommand() *cobra.Command {
	var flags graphFlags
	var format, out string
	cmd := &cobra.Command{
		Use:   "picture ASSET",
		Short: "Draw whom an asset harms, the first above all; exit code 3 if it is unknown",
		Long: "Draws what lies between an asset and whom it harms: the way to the first harm, the top consumers, and a count of what is\n" +
			"left out. SVG, Mermaid and DOT need nothing; PNG needs dot (graphviz) or rsvg-convert. Exit code 3 if the asset is unknown.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			graph, asset, now, err := flags.asset(cmd, args[0])
			if err != nil {
				return err
			}
			radius, err := graph.BlastRadius(asset.ID, lineage.BlastOptions{Now: now, Due: checks.Due})
			if err != nil {
				return assetError(err)
			}
			p := picture.Of(radius, picture.Most, now)
			if flags.asJSON {
				return printJSON(cmd.OutOrStdout(), p)
			}
			drawn, err := draw(cmd.Context(), p, cmp.Or(format, strings.TrimPrefix(filepath.Ext(out), "."), "svg"))
			if err != nil {
				return &exitError{exitUnasked, err}
			}
			if out == "" {
				_, err := cmd.OutOrStdout().Write(drawn)
				return err
			}
			if err := os.WriteFile(out, drawn, 0o600); err != nil {
				return &exitError{exitUnasked, fmt.Errorf("write the picture: %w", err)}
			}
			return nil
		},
	}
	flags.add(cmd)
	cmd.Flags().StringVar(&format, "format", "", "svg, png, mermaid or dot; default: by the ending of --out, else svg")
	cmd.Flags().StringVar(&out, "out", "", "file to write; default: standard output")
	return cmd
}

func draw(ctx context.Context, p picture.Picture, format string) ([]byte, error) {
	switch format {
	case "svg":
		return p.SVG(ctx)
	case "png":
		return p.PNG(ctx)
	case "mermaid", "mmd":
		return []byte(p.Mermaid()), nil
	case "dot", "gv":
		return []byte(p.DOT()), nil
	}
	return nil, errors.New("a picture is svg, png, mermaid or dot, not " + format)
}
