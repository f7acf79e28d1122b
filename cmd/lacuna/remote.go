package main

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/endpoint"
	"github.com/lacuna-kg/lacuna/sparql"
)

// remoteFlags say which other servers SPARQL may ask.
type remoteFlags struct {
	services, files []string
	private         bool
	time            time.Duration
	megabytes       int64
}

// register adds the flags, those of LOAD where there are updates.
func (f *remoteFlags) register(cmd *cobra.Command, updates bool) {
	flags, beside := cmd.Flags(), "--service"
	flags.StringSliceVar(&f.services, "service", nil, "`address` of a SPARQL endpoint that SERVICE may ask; can be repeated; * for any public one")
	if updates {
		flags.StringSliceVar(&f.files, "load", nil, "`address` that LOAD may fetch, with a / at its end all below it; can be repeated; * for any public one")
		beside = "--service and --load"
	}
	flags.BoolVar(&f.private, "private-addresses", false, "names given by "+beside+" may lead into private networks")
	flags.DurationVar(&f.time, "remote-timeout", 30*time.Second, "longest time of one request to another server")
	flags.Int64Var(&f.megabytes, "remote-size", 64, "largest answer of another server, in MB")
}

func (f *remoteFlags) check() error {
	switch {
	case f.time <= 0:
		return kg.Errorf(kg.Invalid, "", "--remote-timeout %v: expected some time", f.time)
	case f.megabytes <= 0:
		return kg.Errorf(kg.Invalid, "", "--remote-size %d: expected 1 or more", f.megabytes)
	}
	if err := (endpoint.Guard{Allowed: f.services}).Check(); err != nil {
		return kg.Errorf(kg.Invalid, "", "--service: %v", err)
	}
	if err := (endpoint.Guard{Allowed: f.files}).Check(); err != nil {
		return kg.Errorf(kg.Invalid, "", "--load: %v", err)
	}
	return nil
}

// remote is nil where nobody may be asked.
func (f *remoteFlags) remote() sparql.Remote {
	if len(f.services)+len(f.files) == 0 {
		return nil
	}
	return &endpoint.Remote{
		Services: endpoint.Guard{Allowed: f.services, Private: f.private}, Files: endpoint.Guard{Allowed: f.files, Private: f.private},
		Time: f.time, Bytes: f.megabytes << 20,
	}
}
