import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import escapeHtml from 'escape-html';
import type { DocsOptions, buildPublicDocuments } from './docs-page';

type PublicDocuments = ReturnType<typeof buildPublicDocuments>;

const FILE = 'documents.json';
/** For a service without these settings. */
const UNTOLD: DocsOptions = { baseUrl: 'http://127.0.0.1:8080', name: 'Farebox' };
/** The build writes these in their place. They stay the same when they are escaped. */
const LEFT_OPEN: DocsOptions = { baseUrl: 'https://base-url.invalid', name: 'name-of-the-service' };

/** For the build: it takes a third of a second to render them, and each service would block its event loop for that. */
export async function writePublicDocuments(folder: string): Promise<void> {
  writeFileSync(path.join(folder, FILE), JSON.stringify(await render(LEFT_OPEN)));
}

/** The pages that need no credential, as the build has written them beside a bundle; rendered if there are none. */
export async function loadPublicDocuments(
  folder: string,
  options: DocsOptions = UNTOLD,
): Promise<PublicDocuments> {
  const file = path.join(folder, FILE);
  if (!existsSync(file)) return render(options);
  const documents = JSON.parse(readFileSync(file, 'utf8')) as PublicDocuments;
  return documents.map((document) => ({ ...document, text: complete(document.text, options) }));
}

/** Loaded only here: most processes never need it. */
async function render(options: DocsOptions): Promise<PublicDocuments> {
  const { buildPublicDocuments: build } = await import('./docs-page');
  return build(options);
}

function complete(text: string, { baseUrl, name }: DocsOptions): string {
  return text
    .replaceAll(LEFT_OPEN.baseUrl, () => escapeHtml(baseUrl))
    .replaceAll(LEFT_OPEN.name, () => escapeHtml(name));
}
