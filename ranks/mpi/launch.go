// Package mpi links ranks by the MPI library that a cluster has: Open MPI, MPICH with its kin (Intel's,
// Cray's, MVAPICH), or any that offers the standard ABI of MPI 5. It is opened at run time, without cgo and
// without a compiler on the cluster; only where mpirun, mpiexec or srun started the program is it looked for.
//
// Of MPI it uses what carries bytes between two ranks (MPI_Isend, MPI_Irecv, MPI_Test, MPI_Iprobe);
// package ranks does the rest, so that sums have the same bits whatever the library.
package mpi

import (
	"strconv"
	"strings"
)

// Launch is how this process was started among others.
type Launch struct {
	By      string // mpirun, mpiexec, srun or PMIx
	Size    int    // the number of ranks that were started; 0 where the launcher does not say
	Library string // the user's choice; "" for what is found
}

// Started tells whether a launcher of MPI started this process among others. LACUNA_MPI names the library,
// or is "off" where the processes have nothing to do with each other.
func Started(getenv func(string) string) (l Launch, ok bool) {
	l.Library = getenv("LACUNA_MPI")
	if l.Library == "off" {
		return l, false
	}
	for _, launcher := range []struct{ name, rank, size string }{
		{"mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, // Open MPI
		{"srun", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS"},           // in a batch script outside of srun only the former is set
		{"mpiexec", "PMI_RANK", "PMI_SIZE"},                        // MPICH's Hydra, Intel's
		{"PMIx", "PMIX_RANK", ""},
	} {
		if getenv(launcher.rank) == "" || launcher.size != "" && getenv(launcher.size) == "" {
			continue
		}
		l.By = launcher.name
		l.Size, _ = strconv.Atoi(getenv(launcher.size))
		return l, l.Size != 1
	}
	return l, false
}

// libraries are the names to look for, the likeliest first. Names with a number are of an ABI; one without
// may be any.
func (l Launch) libraries() []string {
	openMPI, mpich := []string{"libmpi.so.40"}, []string{"libmpich.so.12", "libmpi.so.12", "libmpi_cray.so.12"}
	standard, any := []string{"libmpi_abi.so.1", "libmpi_abi.so.0", "libmpi_abi.so"}, []string{"libmpi.so", "libmpich.so"}
	switch {
	case l.Library != "":
		return []string{l.Library}
	case l.By == "mpiexec":
		return concat(mpich, standard, any, openMPI)
	}
	return concat(openMPI, standard, mpich, any)
}

func concat(lists ...[]string) (all []string) {
	for _, list := range lists {
		all = append(all, list...)
	}
	return all
}

// convention is how a library passes its handles.
type convention struct {
	name string
	// Handles: addresses of symbols where they have names, else numbers.
	world, byteType, errorsReturn handle
	funneled                      uintptr // the level of threads at which one thread calls
}

type handle struct {
	symbol string
	value  uintptr
}

// conventionOf tells a library by its symbols and its file's name.
func conventionOf(file string, has func(symbol string) bool) convention {
	switch {
	case has("ompi_mpi_comm_world"):
		return convention{"Open MPI", handle{symbol: "ompi_mpi_comm_world"}, handle{symbol: "ompi_mpi_byte"}, handle{symbol: "ompi_mpi_errors_return"}, 1}
	case strings.Contains(file, "mpi_abi"): // MPI 5.0, section 20.3: numbers below a page
		return convention{"standard ABI", handle{value: 0x101}, handle{value: 0x247}, handle{value: 0x142}, 1024}
	default:
		return convention{"MPICH", handle{value: 0x44000000}, handle{value: 0x4c00010d}, handle{value: 0x54000001}, 1}
	}
}
