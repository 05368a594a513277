import { createHash } from 'node:crypto';
import type { OpenApiDocument } from '../build/document';
import { html, Html, inline, prose } from './html';
import { anchorOf, operationSection, type ShownOperation } from './operation-section';
import { listAt, objectAt, objectsIn, textAt } from '../read';
import { schemaBlock } from './schema';
import { STYLE } from './style';

export interface DocsPage {
  html: string;
  /** Permits the page's own style by its hash, and nothing else: no script, and nothing from any host. */
  contentSecurityPolicy: string;
}

/** Written as it is: what stands between the tags is what the policy has the hash of. */
const STYLE_ELEMENT = new Html(`<style>${STYLE}</style>`);

/** The document as one page for people: no script, no request beside the page itself. */
export function buildDocsPage(document: OpenApiDocument): DocsPage {
  const info = objectAt(document, 'info');
  const operations = operationsOf(document);
  const chapters = listAt(document, 'tags').map((tag) => ({
    name: textAt(tag, 'name'),
    description: textAt(tag, 'description'),
    operations: operations.filter(({ operation }) => tagOf(operation) === textAt(tag, 'name')),
  }));
  const navigation = chapters.map(
    (chapter) =>
      html`<b>${chapter.name}</b>
        <ul>
          ${chapter.operations.map(
            (shown) => html`<li><a href="#${anchorOf(shown)}">${textAt(shown.operation, 'summary')}</a></li>`,
          )}
        </ul>`,
  );
  const sections = chapters.map(
    (chapter) =>
      html`<h2>${chapter.name}</h2>
        <p>${inline(chapter.description)}</p>
        ${chapter.operations.map((shown) => operationSection(document, shown))}`,
  );
  const schemas = objectsIn(document.components.schemas).map(
    ([name, schema]) =>
      html`<section id="schema-${name}">
        <h3>${name}</h3>
        ${prose(textAt(schema, 'description'))}${schemaBlock(schema)}
      </section>`,
  );
  const title = textAt(info, 'title');
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} API</title>
        ${STYLE_ELEMENT}
      </head>
      <body>
        <nav>
          <p><a href="#top">${title} API</a><br /><a href="/openapi.json">openapi.json</a></p>
          ${navigation}<b>Schemas</b>
        </nav>
        <main id="top">
          <h1>${title} API</h1>
          ${prose(textAt(info, 'description'))} ${sections}
          <h2>Schemas</h2>
          ${schemas}
        </main>
      </body>
    </html> `;
  return { html: page.text, contentSecurityPolicy: policyFor(STYLE) };
}

function operationsOf(document: OpenApiDocument): ShownOperation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    objectsIn(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

function tagOf({ tags }: ShownOperation['operation']): unknown {
  return Array.isArray(tags) ? tags[0] : undefined;
}

function policyFor(style: string): string {
  const hash = createHash('sha256').update(style).digest('base64');
  return `default-src 'none';style-src 'sha256-${hash}';base-uri 'none';form-action 'none';frame-ancestors 'none'`;
}
