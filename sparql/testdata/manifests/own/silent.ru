LOAD SILENT <http://example.org/nowhere> ;
COPY SILENT <http://example.org/none> TO DEFAULT ; DROP SILENT GRAPH <http://example.org/h>
