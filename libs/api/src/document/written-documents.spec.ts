import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildPublicDocuments } from './docs-page';
import { loadPublicDocuments, writePublicDocuments } from './written-documents';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'farebox-documents-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const SETTINGS = { baseUrl: "https://api.example/it's", name: '$& <Acme> & "Co"' };

it('a service serves the documents that the build has written, with its own base URL and name', async () => {
  await writePublicDocuments(folder);
  expect(await loadPublicDocuments(folder, SETTINGS)).toEqual(buildPublicDocuments(SETTINGS));
});

it('a service without them renders the same documents', async () => {
  expect(await loadPublicDocuments(folder, SETTINGS)).toEqual(buildPublicDocuments(SETTINGS));
  const untold = { baseUrl: 'http://127.0.0.1:8080', name: 'Farebox' };
  expect(await loadPublicDocuments(folder)).toEqual(buildPublicDocuments(untold));
});
