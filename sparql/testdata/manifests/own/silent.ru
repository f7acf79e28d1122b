LOAD SILENT <http://example.org/nowhere> ;
COPY SILENT <http://example.org/g> TO DEFAULT ; DROP SILENT GRAPH <http://example.org/h>
