package cpu

import "testing"

// A panic of any worker becomes one of who called, and the device goes on to work.
func TestPanicsOfWorkersReachTheCaller(t *testing.T) {
	d, err := New(Options{Threads: 3})
	if err != nil {
		t.Fatal(err)
	}
	for range 20 { // whichever worker takes the task
		func() {
			defer func() {
				if p := recover(); p != "task 7" {
					t.Errorf("recovered %v", p)
				}
			}()
			d.parallel(100, func(_ *worker, task int) {
				if task == 7 {
					panic("task 7")
				}
			})
			t.Error("the panic was lost")
		}()
	}
	done := make([]bool, 100)
	d.parallel(len(done), func(_ *worker, task int) { done[task] = true })
	for task, is := range done {
		if !is {
			t.Errorf("task %d was not run afterwards", task)
		}
	}
}
