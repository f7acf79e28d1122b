package gaps

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"

	"github.com/lacuna-kg/lacuna/kg"
)

// work is something long that is made part by part, in order.
type work[T any] struct {
	task  any // what it is, as JSON: parts of another task are refused
	parts int
	make  func(ctx context.Context, part int) (T, error)
	use   func(part int, made T) error
}

// run makes the parts. With a file, those that it has are used as they are, and each new one is in the file before it is used.
func (w work[T]) run(ctx context.Context, keep string) error {
	if keep == "" {
		return w.from(ctx, 0, func(T) error { return nil })
	}
	kept, err := openKept(keep, w.task)
	if err != nil {
		return err
	}
	defer kept.file.Close()
	done := 0
	if err := kept.each(func(line []byte) error {
		var made T
		if done == w.parts || json.Unmarshal(line, &made) != nil {
			return errNotWhole
		}
		done++
		return w.use(done-1, made)
	}); err != nil {
		return err
	}
	if err := w.from(ctx, done, func(made T) error { return kept.add(made) }); err != nil {
		return err
	}
	return nil
}

func (w work[T]) from(ctx context.Context, first int, add func(T) error) error {
	for i := first; i < w.parts; i++ {
		made, err := w.make(ctx, i)
		if err == nil {
			err = add(made)
		}
		if err == nil {
			err = w.use(i, made)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Discard removes the file of finished parts, once what was made of them is safe.
func Discard(keep string) error {
	if keep == "" {
		return nil
	}
	return os.Remove(keep)
}

// kept is the file of finished parts: a line of JSON that says of what, then a line a part.
type kept struct {
	file *os.File
	head []byte
}

func openKept(path string, task any) (*kept, error) {
	head, err := json.Marshal(task)
	if err != nil {
		return nil, err
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, kg.WriteError(path, err)
	}
	k := &kept{file, append(head, '\n')}
	if err := k.begin(path); err != nil {
		file.Close()
		return nil, err
	}
	return k, nil
}

func (k *kept) begin(path string) error {
	info, err := k.file.Stat()
	if err != nil {
		return err
	}
	if info.Size() == 0 {
		_, err := k.file.Write(k.head)
		return err
	}
	found := make([]byte, len(k.head))
	if _, err := io.ReadFull(k.file, found); err != nil || !bytes.Equal(found, k.head) {
		return kg.Errorf(kg.Invalid, path, "it was begun for another graph, model or task: remove it to start again")
	}
	return nil
}

// errNotWhole ends the reading at a line that was not written whole.
var errNotWhole = errors.New("not whole")

// each gives the lines that are whole, cuts off what is not, and leaves the file at its end.
func (k *kept) each(use func(line []byte) error) error {
	end := int64(len(k.head))
	if _, err := k.file.Seek(end, io.SeekStart); err != nil {
		return err
	}
	lines := bufio.NewReaderSize(k.file, 1<<20)
	for {
		line, err := lines.ReadBytes('\n')
		if err == nil {
			err = use(line)
		}
		if err == io.EOF || err == errNotWhole {
			break
		}
		if err != nil {
			return err
		}
		end += int64(len(line))
	}
	if err := k.file.Truncate(end); err != nil {
		return err
	}
	_, err := k.file.Seek(end, io.SeekStart)
	return err
}

func (k *kept) add(part any) error {
	line, err := json.Marshal(part)
	if err != nil {
		return err
	}
	if _, err := k.file.Write(append(line, '\n')); err != nil {
		return kg.WriteError(k.file.Name(), err)
	}
	return nil
}
