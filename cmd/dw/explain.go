package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"dw/app"
	"dw/lineage"
)

// graphFlags are where a question about the graph gets it from.
type graphFlags struct {
	config, manifest, catalog string
	asJSON                    bool

	project *app.Project // where the graph is of a configuration, once it is loaded
}

func (f *graphFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&f.config, "config", "c", "", "configuration file")
	cmd.Flags().StringVar(&f.manifest, "manifest", "", "dbt manifest.json, instead of a configuration")
	cmd.Flags().StringVar(&f.catalog, "catalog", "", "dbt catalog.json beside the manifest")
	jsonFlag(cmd, &f.asJSON)
	cmd.MarkFlagsMutuallyExclusive("config", "manifest")
	cmd.MarkFlagsMutuallyExclusive("config", "catalog")
}

// load returns the graph and the time as of which it is asked.
func (f *graphFlags) load(cmd *cobra.Command) (*lineage.Graph, time.Time, error) {
	if f.catalog != "" && f.manifest == "" {
		return nil, time.Time{}, &exitError{exitUnasked, errors.New("--catalog needs the --manifest that it belongs to")}
	}
	if f.manifest != "" {
		graph, err := app.GraphOfManifest(f.manifest, f.catalog)
		if err != nil {
			return nil, time.Time{}, &exitError{exitUnasked, err}
		}
		return graph, time.Now(), nil
	}
	if f.config == "" {
		f.config = "config.yaml"
	}
	project, err := loadOffline(f.config)
	if err != nil {
		return nil, time.Time{}, err
	}
	if err := project.AddStored(cmd.Context()); err != nil {
		fmt.Fprintln(cmd.ErrOrStderr(), "what events have stated is left out:", err)
	}
	f.project = project
	return project.Current(), project.Now(), project.Close()
}

// seen is what dw's database knows of an asset; a bare manifest knows nothing. What
// cannot be read is said beside the answer.
func (f *graphFlags) seen(cmd *cobra.Command, id lineage.AssetID) []lineage.Line {
	if f.project == nil {
		return nil
	}
	lines, err := f.project.About(cmd.Context(), id)
	if err != nil {
		fmt.Fprintln(cmd.ErrOrStderr(), "what dw has seen of it is left out:", err)
	}
	return lines
}

// asset resolves the name that was asked for in the graph it is asked of.
func (f *graphFlags) asset(cmd *cobra.Command, name string) (*lineage.Graph, lineage.Asset, time.Time, error) {
	graph, now, err := f.load(cmd)
	if err != nil {
		return nil, lineage.Asset{}, time.Time{}, err
	}
	asset, err := graph.Resolve(name)
	if err != nil {
		return nil, lineage.Asset{}, time.Time{}, assetError(err)
	}
	return graph, asset, now, nil
}

func explainCommand() *cobra.Command {
	var flags graphFlags
	cmd := &cobra.Command{
		Use:   "explain ASSET[.COLUMN]",
		Short: "Say what an asset or a column is, where it comes from and who owns it; exit code 3 if it is unknown",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			q, err := flags.about(cmd, args[0], false)
			if err != nil {
				return err
			}
			if q.column != "" {
				return explainColumn(cmd.OutOrStdout(), q, flags.asJSON)
			}
			explanation, err := q.graph.Explain(q.asset.ID, q.now, flags.seen(cmd, q.asset.ID)...)
			if err != nil {
				return assetError(err)
			}
			if flags.asJSON {
				return printJSON(cmd.OutOrStdout(), explanation)
			}
			printLines(cmd.OutOrStdout(), explanation.Lines())
			return nil
		},
	}
	flags.add(cmd)
	return cmd
}
