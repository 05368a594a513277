import PDFDocument, * as pdfkit from 'pdfkit';
import { toBytes } from 'pdfkit/output';
import helvetica from 'pdfkit/standard-fonts/Helvetica';
import helveticaBold from 'pdfkit/standard-fonts/HelveticaBold';
import type { ShownDocument } from './shown-documents';

// pdfkit for Node reads its fonts from its own folder, which a bundle does not have. The bundle contains the
// build without files (tsconfig.bundle.json), which must be given its fonts.
type RegisterFonts = (...metrics: { name: string }[]) => void;
if ('registerStdFonts' in pdfkit) (pdfkit.registerStdFonts as RegisterFonts)(helvetica, helveticaBold);

const [REGULAR, BOLD] = ['Helvetica', 'Helvetica-Bold'];
const MARGIN = 50;
const BLACK = '#000000';
const FIRST_COLUMN_SHARE = 0.34;
const ROW_PADDING = 6;

/**
 * A document as a PDF. Its fonts cover the letters of Western Europe: others are printed as `?`, and are
 * right in the page and in JSON.
 */
export async function toDocumentPdf(shown: ShownDocument): Promise<Buffer> {
  const printed = printable(shown);
  const document = new PDFDocument({
    size: 'A4',
    margin: MARGIN,
    pdfVersion: '1.7',
    tagged: true,
    lang: 'en',
    displayTitle: true,
    info: { Title: printed.title, Creator: printed.brand.name, Producer: 'Farebox' },
  });
  const bytes = toBytes(document);
  const root = document.struct('Document');
  document.addStructure(root);
  const add = (tag: string, draw: () => void): void => {
    root.add(document.struct(tag, {}, draw));
  };
  add('H1', () => {
    document
      .font(BOLD)
      .fontSize(18)
      .fillColor(printed.brand.color ?? BLACK)
      .text(printed.title);
  });
  document.moveDown().fillColor(BLACK).fontSize(10);
  for (const [name, value] of printed.facts)
    add('P', () => {
      document.font(BOLD).text(`${name}: `, { continued: true }).font(REGULAR).text(value);
    });
  document.moveDown(2);
  const table = document.struct('Table');
  root.add(table);
  document.font(BOLD);
  writeRow(
    document,
    table,
    printed.columns.map((text) => ({ text, scope: 'Column' })),
  );
  document.font(REGULAR);
  for (const row of printed.rows)
    writeRow(
      document,
      table,
      row.map((text) => ({ text })),
    );
  document.font(BOLD);
  const [totalName, totalValue] = printed.total;
  writeRow(document, table, [
    { text: totalName, scope: 'Row' },
    ...printed.columns.slice(2).map(() => ({ text: '' })),
    { text: totalValue },
  ]);
  document.font(REGULAR).moveDown();
  for (const note of printed.notes)
    add('P', () => {
      document.text(note, MARGIN);
    });
  document.end();
  return Buffer.from(await bytes);
}

interface Cell {
  text: string;
  /** Set for a heading: the cells that it heads. */
  scope?: 'Column' | 'Row';
}

/** One row of the table, on the next page if this one is full. */
function writeRow(
  document: PDFKit.PDFDocument,
  table: PDFKit.PDFStructureElement,
  cells: readonly Cell[],
): void {
  const { width, height } = document.page;
  const inner = width - 2 * MARGIN;
  const firstWidth = inner * FIRST_COLUMN_SHARE;
  const otherWidth = (inner - firstWidth) / (cells.length - 1);
  const widthOf = (column: number): number => (column === 0 ? firstWidth : otherWidth) - ROW_PADDING;
  const rowHeight = Math.max(
    ...cells.map(({ text }, i) => document.heightOfString(text, { width: widthOf(i) })),
  );
  if (document.y + rowHeight > height - MARGIN) document.addPage();
  const top = document.y;
  const row = document.struct('TR');
  table.add(row);
  for (const [column, { text, scope }] of cells.entries()) {
    const left = MARGIN + (column === 0 ? 0 : firstWidth + (column - 1) * otherWidth);
    // The types of pdfkit do not know the scope.
    const options = scope === undefined ? {} : ({ scope } as object);
    row.add(
      document.struct(scope === undefined ? 'TD' : 'TH', options, () => {
        document.text(text, left, top, { width: widthOf(column), align: column === 0 ? 'left' : 'right' });
      }),
    );
  }
  row.end();
  document.x = MARGIN;
  document.y = top + rowHeight + ROW_PADDING;
}

function printable(shown: ShownDocument): ShownDocument {
  return {
    ...shown,
    facts: shown.facts.map(([name, value]) => [name, westernOnly(value)]),
    rows: shown.rows.map((row) => row.map(westernOnly)),
  };
}

function westernOnly(text: string): string {
  return text.normalize('NFC').replace(/[^\n\x20-\x7e\xa0-\xff]/gu, '?');
}
