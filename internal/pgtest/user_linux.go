package pgtest

import (
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
	"testing"
)

// run lets a program run as an ordinary user where the test is root.
func run(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{}
	if uid, gid, ok := ordinary(); ok {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uid, Gid: gid}
	}
}

// ordinary is the user that root runs PostgreSQL as.
func ordinary() (uid, gid uint32, ok bool) {
	if os.Getuid() != 0 {
		return 0, 0, false
	}
	for _, name := range []string{"postgres", "nobody"} {
		if u, err := user.Lookup(name); err == nil {
			id, err := strconv.ParseUint(u.Uid, 10, 32)
			group, err2 := strconv.ParseUint(u.Gid, 10, 32)
			if err == nil && err2 == nil {
				return uint32(id), uint32(group), true
			}
		}
	}
	return 0, 0, false
}

// give makes a folder that user's.
func give(t testing.TB, folder string) {
	if uid, gid, ok := ordinary(); ok {
		if err := os.Chown(folder, int(uid), int(gid)); err != nil {
			t.Fatal(err)
		}
	}
}
