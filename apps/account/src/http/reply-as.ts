import type { MediaType, Reply } from './endpoint';
import { documentPageHeaders, type ShownDocument, toDocumentPage } from './shown-documents';

/** A document as JSON, as a page to print, or as a PDF. */
export async function replyAs(
  mediaType: MediaType,
  record: { number: string },
  shown: ShownDocument,
): Promise<Reply> {
  if (mediaType === 'text/html') {
    const content = toDocumentPage(shown);
    return { document: { mediaType, content, headers: documentPageHeaders(shown.brand) } };
  }
  if (mediaType === 'application/pdf') {
    const { toDocumentPdf } = await import('./document-pdf');
    const content = await toDocumentPdf(shown);
    return { document: { mediaType, content, fileName: `${record.number}.pdf` } };
  }
  return { body: record };
}
