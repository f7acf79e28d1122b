package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"

	"github.com/lacuna-kg/lacuna/server/attack"
)

// elsewhere plays the attackers of a case in a process of their own and, where the system can, behind all others: real ones have
// machines of their own, and would take neither the bystander's processor time nor the server's but by what they ask.
func elsewhere(ctx context.Context, target attack.Target, c attack.Case) (answered map[int]int, err error) {
	command := []string{os.Args[0], "-url", target.URL, "-only", c.Name}
	if nice, err := exec.LookPath("nice"); err == nil {
		command = append([]string{nice, "-n", "19"}, command...)
	}
	attackers := exec.Command(command[0], command[1:]...)
	attackers.Stderr = os.Stderr
	input, err := attackers.StdinPipe()
	if err != nil {
		return nil, err
	}
	defer context.AfterFunc(ctx, func() { input.Close() })()
	out, err := attackers.Output()
	if err == nil {
		err = json.Unmarshal(out, &answered)
	}
	return answered, err
}

// attackOnly plays the attackers of a case until standard input ends, and prints how often they were answered with which status.
func attackOnly(ctx context.Context, target attack.Target, name string) error {
	at := slices.IndexFunc(attack.Cases, func(c attack.Case) bool { return c.Name == name })
	if at < 0 {
		return fmt.Errorf("no case %q, expected one that is listed without -only", name)
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() { _, _ = io.Copy(io.Discard, os.Stdin); stop() }()
	answered, err := attack.Attack(ctx, target, attack.Cases[at], attack.Large.Share)
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(answered)
	}
	return err
}
