import PDFDocument, * as pdfkit from 'pdfkit';
import { toBytes } from 'pdfkit/output';
import helvetica from 'pdfkit/standard-fonts/Helvetica';
import helveticaBold from 'pdfkit/standard-fonts/HelveticaBold';
import { openPdfFonts, type ToRuns } from './pdf-fonts';
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

/** A document as a PDF. Letters that no font of `fontsFolder` has are printed as `?`. */
export async function toDocumentPdf(printed: ShownDocument, fontsFolder?: string): Promise<Buffer> {
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
  const toRuns = openPdfFonts((name, file) => document.registerFont(name, file), fontsFolder);
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
      document.font(BOLD).text(`${name}: `, { continued: true });
      writeRuns(document, toRuns(value));
    });
  document.moveDown(2);
  const table = document.struct('Table');
  root.add(table);
  writeRow(
    document,
    table,
    printed.columns.map((text) => ({ runs: [{ font: BOLD, text }], scope: 'Column' })),
  );
  for (const row of printed.rows)
    writeRow(
      document,
      table,
      row.map((text) => ({ runs: toRuns(text) })),
    );
  const [totalName, totalValue] = printed.total;
  const bold = (text: string) => [{ font: BOLD, text }];
  writeRow(document, table, [
    { runs: bold(totalName), scope: 'Row' },
    ...printed.columns.slice(2).map(() => ({ runs: bold('') })),
    { runs: bold(totalValue) },
  ]);
  document.moveDown();
  for (const note of printed.notes)
    add('P', () => {
      document.x = MARGIN;
      writeRuns(document, toRuns(note));
    });
  document.end();
  return Buffer.from(await bytes);
}

type Runs = ReturnType<ToRuns>;

/** Writes a text in several fonts where the document is. Only one of a single font can be aligned right. */
function writeRuns(document: PDFKit.PDFDocument, runs: Runs, options: PDFKit.Mixins.TextOptions = {}): void {
  for (const [i, { font, text }] of runs.entries())
    document.font(font).text(text, { ...options, continued: i < runs.length - 1 });
}

interface Cell {
  runs: Runs;
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
    ...cells.map(({ runs }, i) => {
      // The last font measures the letters of the others as well, roughly.
      document.font(runs.at(-1)?.font ?? REGULAR);
      return document.heightOfString(runs.map(({ text }) => text).join(''), { width: widthOf(i) });
    }),
  );
  if (document.y + rowHeight > height - MARGIN) document.addPage();
  const top = document.y;
  const row = document.struct('TR');
  table.add(row);
  for (const [column, { runs, scope }] of cells.entries()) {
    const left = MARGIN + (column === 0 ? 0 : firstWidth + (column - 1) * otherWidth);
    // The types of pdfkit do not know the scope.
    const options = scope === undefined ? {} : ({ scope } as object);
    row.add(
      document.struct(scope === undefined ? 'TD' : 'TH', options, () => {
        document.x = left;
        document.y = top;
        const align = column === 0 || runs.length > 1 ? 'left' : 'right';
        writeRuns(document, runs, { width: widthOf(column), align });
      }),
    );
  }
  row.end();
  document.x = MARGIN;
  document.y = top + rowHeight + ROW_PADDING;
}
