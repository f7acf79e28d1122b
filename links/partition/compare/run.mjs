// Runs SQL by DuckDB in the folder it is started in: statements on standard input, the rows of the last as one line of JSON.
import { readFileSync } from 'node:fs';
import { DuckDBInstance } from '@duckdb/node-api';

const instance = await DuckDBInstance.create(':memory:', { threads: '2' });
const connection = await instance.connect();
const result = await connection.runAndReadAll(readFileSync(0, 'utf8'));
console.log(JSON.stringify(result.getRowsJson()));
