import { buildDocument } from './build/document';
import { buildDocsPage } from './page/docs-page';

/** What both services show of themselves, without a credential: at `/openapi.json` and `/docs`. */
export function buildPublicDocuments() {
  const document = buildDocument();
  const page = buildDocsPage(document);
  return [
    {
      path: '/openapi.json',
      contentType: 'application/json; charset=utf-8',
      text: JSON.stringify(document),
    },
    {
      path: '/docs',
      contentType: 'text/html; charset=utf-8',
      text: page.html,
      headers: { 'Content-Security-Policy': page.contentSecurityPolicy },
    },
  ];
}
