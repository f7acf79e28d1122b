package mpi

import (
	"slices"
	"testing"
)

func TestStarted(t *testing.T) {
	for name, c := range map[string]struct {
		env   map[string]string
		by    string
		size  int
		ok    bool
		first string // library
	}{
		"alone":              {nil, "", 0, false, ""},
		"Open MPI":           {map[string]string{"OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "4", "PMIX_RANK": "1"}, "mpirun", 4, true, "libmpi.so.40"},
		"MPICH":              {map[string]string{"PMI_RANK": "0", "PMI_SIZE": "2"}, "mpiexec", 2, true, "libmpich.so.12"},
		"srun":               {map[string]string{"SLURM_PROCID": "3", "SLURM_STEP_NUM_TASKS": "8", "PMI_RANK": "3", "PMI_SIZE": "8"}, "srun", 8, true, "libmpi.so.40"},
		"a batch script":     {map[string]string{"SLURM_PROCID": "0", "SLURM_NTASKS": "8"}, "", 0, false, ""},
		"PMIx":               {map[string]string{"PMIX_RANK": "2"}, "PMIx", 0, true, "libmpi.so.40"},
		"one rank":           {map[string]string{"OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "1"}, "mpirun", 1, false, ""},
		"the user's library": {map[string]string{"PMI_RANK": "0", "PMI_SIZE": "2", "LACUNA_MPI": "/opt/libmpi.so"}, "mpiexec", 2, true, "/opt/libmpi.so"},
		"off":                {map[string]string{"PMI_RANK": "0", "PMI_SIZE": "2", "LACUNA_MPI": "off"}, "", 0, false, ""},
	} {
		l, ok := Started(func(key string) string { return c.env[key] })
		if l.By != c.by || l.Size != c.size || ok != c.ok || ok && l.libraries()[0] != c.first {
			t.Errorf("%s: %+v %v", name, l, ok)
		}
	}
}

func TestConventions(t *testing.T) {
	for _, c := range []struct {
		file    string
		symbols []string
		want    string
	}{
		{"libmpi.so.40", []string{"ompi_mpi_comm_world"}, "Open MPI"},
		{"libmpi_abi.so.0.0.0", nil, "standard ABI"},
		{"libmpi.so.12", nil, "MPICH"},
		{"libmpi.so", []string{"ompi_mpi_comm_world"}, "Open MPI"},
	} {
		if got := conventionOf(c.file, func(s string) bool { return slices.Contains(c.symbols, s) }); got.name != c.want {
			t.Errorf("%s: %s, want %s", c.file, got.name, c.want)
		}
	}
}
