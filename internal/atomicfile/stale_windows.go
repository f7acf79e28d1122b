package atomicfile

import "os"

// claim need do nothing: Windows removes no file that is open.
func claim(*os.File) bool { return true }

// giveName closes a file, as Windows renames none that is open, and renames it.
func giveName(f *os.File, name string) error {
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}

// removeStale removes a file that no process is writing.
func removeStale(name string) { os.Remove(name) }
