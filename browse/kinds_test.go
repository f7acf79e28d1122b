package browse

import "testing"

func TestKinds(t *testing.T) {
	typed := graph(t, "Ran\ttype\tFilm\nRoma\ttype\tFilm\nFellini\ttype\tPerson\nRoma\tby\tFellini\n", "a.tsv")
	kinds := Kinds(typed, 10)
	if len(kinds) != 2 || kinds[0].Name != "Film" || kinds[0].Entities != 2 || kinds[0].Relation != "type" || kinds[0].ID != "Film" || kinds[0].Examples[0].Name != "Ran" {
		t.Errorf("%+v", kinds)
	}
	if kinds = Kinds(typed, 1); len(kinds) != 1 {
		t.Errorf("%+v, want the largest alone", kinds)
	}
	rows := graph(t, "id,title,by\n1,Ran,Kurosawa\n2,Roma,Fellini\n3,Senso,Visconti\n", "films.csv")
	if kinds = Kinds(rows, 10); len(kinds) != 1 || kinds[0].Name != "films" || kinds[0].Entities != 3 || kinds[0].Relation != "" || kinds[0].Examples[1] != (Named{"Roma", "films/2"}) {
		t.Errorf("%+v", kinds)
	}
	for name, want := range map[string]bool{"films/1": true, "http://x/y": false, "/a": false, "a/": false, `"1/2"`: false, "N.N.": false} {
		if _, isRow := tableOf(name); isRow != want {
			t.Errorf("%s: %v", name, isRow)
		}
	}
}
