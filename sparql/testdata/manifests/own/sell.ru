PREFIX : <http://example.org/>
DELETE { ?b :price ?p ; <http://www.w3.org/2000/01/rdf-schema#label> ?l } INSERT { ?b :sold ?q }
WHERE { ?b :price ?p ; <http://www.w3.org/2000/01/rdf-schema#label> ?l FILTER(?p > 3) BIND(?p + 1.0 AS ?q) }
