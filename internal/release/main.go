// Command release makes the parts of a release that no common tool makes the same each time: the bill of materials
// of a binary, an OCI image of it, and a package for Python. scripts/release.sh calls it.
//
//	release sbom BINARY
//	release image -binary FILE -arch ARCH -version VERSION [-certificates FILE] -o FILE
//	release wheel -binary FILE -target OS/ARCH -version VERSION -o FOLDER
package main

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"time"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) == 2 && args[0] == "sbom":
		return writeSBOM(os.Stdout, args[1])
	case len(args) > 1 && args[0] == "image":
		return runImage(args[1:])
	case len(args) > 1 && args[0] == "wheel":
		return runWheel(args[1:])
	}
	return fmt.Errorf("expected sbom BINARY, image -binary FILE -arch ARCH -version VERSION -o FILE or wheel -binary FILE -target OS/ARCH -version VERSION -o FOLDER")
}

func runImage(args []string) error {
	var i image
	flags := flag.NewFlagSet("image", flag.ContinueOnError)
	binary := flags.String("binary", "", "the program, static")
	certificates := flags.String("certificates", "", "authorities that the program trusts, in PEM")
	output := flags.String("o", "", "the archive to write, of the OCI image layout")
	flags.StringVar(&i.arch, "arch", "amd64", "the machine it is for")
	flags.StringVar(&i.version, "version", "", "of the program")
	if err := flags.Parse(args); err != nil {
		return err
	}
	var err error
	if i.time, err = commitTime(); err != nil {
		return err
	}
	if i.program, err = os.ReadFile(*binary); err != nil {
		return err
	}
	if *certificates != "" {
		if i.certificates, err = os.ReadFile(*certificates); err != nil {
			return err
		}
	}
	data, err := i.archive()
	if err != nil {
		return err
	}
	return os.WriteFile(*output, data, 0o666)
}

// commitTime is the time of all files in a release.
func commitTime() (time.Time, error) {
	seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH: %w: expected the time of the commit in seconds", err)
	}
	return time.Unix(seconds, 0).UTC(), nil
}
