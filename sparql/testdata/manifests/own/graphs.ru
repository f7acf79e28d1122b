PREFIX : <http://example.org/>
INSERT DATA { :x :p :y GRAPH :g { :x :p :y } } ; WITH :g DELETE { ?x :p ?y } WHERE { ?x :p ?y } ; CREATE GRAPH :h
