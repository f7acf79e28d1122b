package main

import "github.com/lacuna-kg/lacuna/kg/read"

// showReadReport says what a reader decided or passed over.
func (a *app) showReadReport(r read.Report) {
	for _, remark := range r.Remarks() {
		a.remark("%s", remark)
	}
}
