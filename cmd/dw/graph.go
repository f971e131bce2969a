package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"dw/lineage"
)

func graphCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "graph", Short: "Ask about the context graph as a whole: what disagrees, who is missing, what is there"}
	cmd.AddCommand(graphDoctorCommand(), graphUnownedCommand(), graphSearchCommand(), graphDiffCommand())
	return cmd
}

// graphDiagnosis is the answer of `dw graph doctor` in JSON.
type graphDiagnosis struct {
	Assets        int                        `json:"assets"`
	Edges         int                        `json:"edges"`
	Identity      []lineage.IdentityConflict `json:"identity"`
	Disagreements []lineage.Disagreement     `json:"disagreements"`
}

func graphDoctorCommand() *cobra.Command {
	var flags graphFlags
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "List names that may be of several assets, and facts of which sources disagree",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			graph, _, err := flags.load(cmd)
			if err != nil {
				return err
			}
			found := graphDiagnosis{
				Assets: graph.Len(), Edges: len(graph.Edges()),
				Identity: append([]lineage.IdentityConflict{}, graph.IdentityConflicts()...), Disagreements: graph.Disagreements(),
			}
			if flags.asJSON {
				return printJSON(cmd.OutOrStdout(), found)
			}
			printDiagnosis(cmd.OutOrStdout(), found)
			return nil
		},
	}
	flags.add(cmd)
	return cmd
}

func printDiagnosis(out io.Writer, d graphDiagnosis) {
	fmt.Fprintf(out, "%d assets, %d edges\n", d.Assets, d.Edges)
	for _, c := range d.Identity {
		fmt.Fprintf(out, "%q of %s may be %v: name the right one in lineage.assets[].aliases\n", string(c.Name), c.Source, c.May)
	}
	for _, a := range d.Disagreements {
		for _, c := range a.Conflicts {
			fmt.Fprintf(out, "%q: %s\n", string(a.Asset), c.Field)
			for _, claim := range c.Claims {
				fmt.Fprintf(out, "    %q says %s, %s\n", claim.Value, claim.From.Source, claim.From.SeenAt.UTC().Format("2006-01-02 15:04"))
			}
		}
	}
	if len(d.Identity)+len(d.Disagreements) == 0 {
		fmt.Fprintln(out, "no name is of two assets, and no sources disagree")
	}
}

func graphUnownedCommand() *cobra.Command {
	var flags graphFlags
	cmd := &cobra.Command{
		Use:   "unowned",
		Short: "List the assets that no source names an owner of, those with most below them first",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			graph, _, err := flags.load(cmd)
			if err != nil {
				return err
			}
			found := graph.Unowned()
			if flags.asJSON {
				return printJSON(cmd.OutOrStdout(), found)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%d of %d assets have no owner\n", len(found), graph.Len())
			for _, o := range found {
				fmt.Fprintf(cmd.OutOrStdout(), "%5d below  %s %q\n", o.Below, o.Kind, string(o.Asset))
			}
			return nil
		},
	}
	flags.add(cmd)
	return cmd
}

func graphSearchCommand() *cobra.Command {
	var flags graphFlags
	var limit int
	cmd := &cobra.Command{
		Use:   "search TEXT",
		Short: "Find assets by name, nearly the name, column or description; exit code 3 if there is none",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			graph, _, err := flags.load(cmd)
			if err != nil {
				return err
			}
			found := graph.Search(args[0], limit)
			if flags.asJSON {
				if err := printJSON(cmd.OutOrStdout(), found); err != nil {
					return err
				}
			} else {
				for _, f := range found {
					fmt.Fprintf(cmd.OutOrStdout(), "%-10s %q  %q  (%s)\n", f.Kind, f.Name, string(f.Asset), f.Where)
				}
			}
			if len(found) == 0 {
				return assetError(&lineage.UnknownAssetError{Name: args[0]})
			}
			return nil
		},
	}
	flags.add(cmd)
	cmd.Flags().IntVar(&limit, "limit", 20, "how many are listed; 0 is no limit")
	return cmd
}
