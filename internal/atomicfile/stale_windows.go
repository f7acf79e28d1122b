package atomicfile

import "os"

// claim need do nothing: Windows removes no file that is open.
func claim(*os.File) {}

// removeStale removes a file that no process is writing.
func removeStale(name string) { os.Remove(name) }
