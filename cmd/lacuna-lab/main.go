// Command lacuna-lab measures and reproduces: it draws query sets, checks and converts them, and
// benches, proves and compares what lacuna computes. Its commands are in package lab.
package main

import "github.com/lacuna-kg/lacuna/lab"

func main() { lab.Main() }
