package command

import "github.com/lacuna-kg/lacuna/kg/read"

// showReadReport says what a reader decided or passed over.
func (a *App) showReadReport(r read.Report) {
	for _, remark := range r.Remarks() {
		a.Remark("%s", bySettings(a.running, remark))
	}
}
