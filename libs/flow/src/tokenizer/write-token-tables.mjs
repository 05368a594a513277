// Writes the tables of tokenizers into a folder, where the bundle beside them finds them:
// write-token-tables.mjs dist/gateway o200k_base cl100k_base
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import tokenTable from './token-table.js';

const [folder = '', ...names] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
for (const name of names) writeFileSync(path.join(folder, `${name}.tokens`), tokenTable.packTable(name));
