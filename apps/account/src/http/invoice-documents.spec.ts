import type { InvoiceRecord } from '@farebox/api';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readPdfText } from '../../test/pdf-text';
import { toDocumentPdf } from './document-pdf';
import { toShownInvoice } from './invoice-documents';
import { shownAmount } from './shown-amount';
import { documentPageHeaders, toDocumentPage } from './shown-documents';

it.each([
  ['5.000000000', '5.00'],
  ['0.000010500', '0.0000105'],
  ['-12.340000000', '-12.34'],
  ['0.100000000', '0.10'],
  ['1.000000001', '1.000000001'],
  ['100.000000000', '100.00'],
])('%s is shown as %s', (amount, shown) => {
  expect(shownAmount(amount)).toBe(shown);
});

const FAREBOX = { name: 'Farebox', logoUrl: undefined, color: undefined, supportEmail: undefined };
const ACME = {
  name: 'Acme & Co',
  logoUrl: 'https://img.acme.example/logo.svg',
  color: '#e8590c',
  supportEmail: 'help@acme.example',
};

const hostile = `<script>alert("1")</script>&'`;
const line = {
  type: 'usage' as const,
  ...{ requests: 1_234_567, prompt_tokens: 1, completion_tokens: 2 },
  ...{ cached_tokens: 0, cache_write_tokens: 0, reasoning_tokens: 0, prices: [] },
};
const NO_DETAILS = {
  ...{ legal_name: null, address: null, country: null, tax_id: null },
  ...{ purchase_order: null, billing_email: null },
};
const invoice: InvoiceRecord = {
  object: 'invoice',
  number: 'INV-2026-000042',
  month: '2026-10',
  total: '12.345000000',
  total_rounded: '12.35',
  top_ups: '25.000000000',
  currency: 'usd',
  issued_at: 1_793_500_000,
  customer: { name: hostile, email: 'ada@example.com', ...NO_DETAILS },
  seller: null,
  lines: [
    { ...line, model: hostile, amount: '12.350000000' },
    { ...line, type: 'refund', model: 'small', amount: '-0.005000000' },
  ],
};

const price = { input: '0.150000000', output: '0.600000000', currency: 'usd', unit: '1M tokens' } as const;

it('shows the prices of a line, and from when each applied', () => {
  const pricesIn = (...prices: InvoiceRecord['lines'][number]['prices']) =>
    toShownInvoice(
      { ...invoice, lines: [{ ...line, model: 'm', amount: '0.000000000', prices }] },
      FAREBOX,
    ).rows[0]?.at(-2);
  const step = { above_prompt_tokens: 200_000, input: '0.300000000', output: '1.200000000' };
  expect(pricesIn()).toBe('');
  expect(pricesIn({ ...price, starts_at: 0 })).toBe('0.15 prompt, 0.60 completion');
  expect(
    pricesIn(
      { ...price, cached_input: '0.075000000', image: '0.010000000', steps: [step], starts_at: 0 },
      { ...price, request: '0.001000000', starts_at: Date.UTC(2026, 9, 14, 8) / 1_000 },
    ),
  ).toBe(
    [
      '0.15 prompt, 0.60 completion, 0.075 cached; 0.01 an image',
      'above 200,000 prompt tokens: 0.30 prompt, 1.20 completion',
      'from 2026-10-14: 0.15 prompt, 0.60 completion; 0.001 a request',
    ].join('\n'),
  );
});

describe('the page', () => {
  const page = toDocumentPage(toShownInvoice(invoice, FAREBOX));

  it('escapes every value', () => {
    expect(page).not.toContain('<script');
    expect(page.split('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;&#39;')).toHaveLength(3);
  });

  it('contains everything in the invoice', () => {
    for (const text of [
      'INV-2026-000042',
      '2026-10',
      '1,234,567',
      '<th>12.35 USD</th>',
      'is 12.345 USD',
      '-0.005',
      'small, refunded',
      '25.00 USD',
    ])
      expect(page).toContain(text);
  });

  it('has a column for each kind of tokens that occurs', () => {
    const columnsOf = (...lines: Partial<typeof line>[]): string[] =>
      toShownInvoice(
        { ...invoice, lines: lines.map((more) => ({ ...line, ...more, model: 'm', amount: '0.000000000' })) },
        FAREBOX,
      ).columns;
    expect(columnsOf({})).toHaveLength(6);
    expect(columnsOf({ cached_tokens: 3 }, { reasoning_tokens: 1 }).slice(4, 6)).toEqual([
      'Cached',
      'Reasoning',
    ]);
  });

  it('runs, loads and sends nothing', () => {
    expect(page).not.toMatch(/<(script|link|img|iframe|form|object)|\s(src|href|on\w+|style)=/i);
    expect(documentPageHeaders(FAREBOX)['content-security-policy']).toMatch(
      /^default-src 'none';style-src 'sha256-[^']+';/,
    );
    expect(documentPageHeaders(FAREBOX)['content-security-policy']).not.toContain('unsafe');
  });
});

describe('an operator', () => {
  it('is named on the page, and only their logo may be loaded', () => {
    const page = toDocumentPage(toShownInvoice(invoice, ACME));
    expect(page).toContain('<dt>From</dt><dd>Acme &amp; Co</dd>');
    expect(page).toContain('<img src="https://img.acme.example/logo.svg" alt="Acme &amp; Co" height="48">');
    expect(page).toContain('<p>Questions: help@acme.example</p>');
    expect(documentPageHeaders(ACME)['content-security-policy']).toContain(
      ';img-src https://img.acme.example;',
    );
  });

  it('is named in the PDF', async () => {
    const text = readPdfText(await toDocumentPdf(toShownInvoice(invoice, ACME))).replaceAll(' ', '');
    expect(text).toContain('From:Acme&Co');
    expect(text).toContain('Questions:help@acme.example');
  });
});

it('names seller and buyer with what they have given, also if it is hostile', () => {
  const details = { address: 'Weg 1\n10115 Berlin', country: 'DE', tax_id: 'DE123' };
  const shown = toShownInvoice(
    {
      ...invoice,
      customer: {
        ...{ ...invoice.customer, ...details },
        ...{ legal_name: hostile, purchase_order: 'PO-4711', billing_email: 'books@example.com' },
      },
      seller: { ...details, legal_name: 'Acme AI GmbH', billing_email: 'billing@acme.example' },
    },
    ACME,
  );
  expect(shown.facts.slice(0, 5)).toEqual([
    ['From', 'Acme AI GmbH\nWeg 1\n10115 Berlin\nGermany\nTax id: DE123'],
    ['Their e-mail', 'billing@acme.example'],
    ['Customer', `${hostile}\nWeg 1\n10115 Berlin\nGermany\nTax id: DE123`],
    ['E-mail', 'books@example.com'],
    ['Purchase order', 'PO-4711'],
  ]);
  expect(toDocumentPage(shown)).not.toContain('<script');
});

describe('the PDF', () => {
  it('contains everything in the invoice', async () => {
    const pdf = await toDocumentPdf(toShownInvoice(invoice, FAREBOX));
    expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
    for (const text of ['INV-2026-000042', hostile, '1,234,567', '12.35 USD', '12.345 USD', '-0.005']) {
      expect(readPdfText(pdf).replaceAll(' ', '')).toContain(text.replaceAll(' ', ''));
    }
  });

  it('continues on the next page', async () => {
    const lines = Array.from({ length: 100 }, (_, i) => ({ ...invoice.lines[1], model: `m-${String(i)}` }));
    const pdf = await toDocumentPdf(
      toShownInvoice({ ...invoice, lines: lines as InvoiceRecord['lines'] }, FAREBOX),
    );
    expect(pdf.toString('latin1').match(/\/Type \/Page\b(?!s)/g)?.length).toBeGreaterThan(2);
    expect(readPdfText(pdf)).toContain('m-99');
  });

  describe('in other scripts', () => {
    const folder = mkdtempSync(join(tmpdir(), 'farebox-fonts-'));
    beforeAll(() => {
      execFileSync(process.execPath, [join(__dirname, '../../copy-fonts.mjs'), folder]);
    });
    afterAll(() => {
      rmSync(folder, { recursive: true });
    });
    const bare = (text: string) => text.normalize('NFC').replaceAll(' ', '');
    const printed = (name: string, address: string | null = null) =>
      toDocumentPdf(
        toShownInvoice(
          { ...invoice, customer: { ...NO_DETAILS, name, address, email: 'x@example.com' } },
          FAREBOX,
        ),
        folder,
      );

    it.each([
      ['Western letters', 'Zoë Ñandú', 0],
      ['letters of Middle Europe', 'Łódź Őrség Şişli „x“ – €', 1],
      ['Vietnamese', 'Việt Nam Đà Nẵng', 1],
      ['Cyrillic', 'Щука і Ївга, ООО «Ёж»', 1],
      ['Greek', 'Ελληνική Εταιρεία Ωμέγα', 1],
      ['Chinese', '上海市浦东新区世纪大道 臺灣臺北', 1],
      ['Japanese', '東京都渋谷区 ソフトウェアの会社', 1],
      ['Korean', '서울특별시 강남구 주식회사', 1],
    ])('%s can be read in it, and its fonts have the letters that it uses alone', async (_, name, fonts) => {
      const pdf = await printed(name, `${name}\n${name} 2`);
      const text = readPdfText(pdf);
      for (const line of [name, `${name} 2`]) expect(bare(text)).toContain(bare(line));
      expect(text).not.toMatch(/[?\ufffd]/);
      expect(pdf.toString('latin1').includes('/FontFile2')).toBe(fonts > 0);
      expect(pdf.length).toBeLessThan(200_000);
    });

    it('letters that no font has are question marks, and so are those of a font too many', async () => {
      expect(readPdfText(await printed('\u05d0\u{1f600} Zoë'))).toContain('?? Zoë');
      const many = Array.from({ length: 400 }, (_, i) => String.fromCodePoint(0x4e00 + 37 * i)).join('');
      const text = readPdfText(await printed('x', many));
      expect(text).toContain('?');
      expect(text).toMatch(/[\u4e00-\u9fff]/);
    });
  });
});

describe('the tags of the PDF', () => {
  /** The dictionaries of a PDF, by number. */
  function objectsOf(pdf: Buffer): Map<string, string> {
    const found = pdf.toString('latin1').matchAll(/(?:^|\n)(\d+) 0 obj\n([\s\S]*?)\nendobj/g);
    return new Map([...found].map(([, id = '', text = '']) => [id, text]));
  }

  /** The tags in reading order, as nested lists: what a screen reader is given. */
  function tagsOf(pdf: Buffer): unknown {
    const objects = objectsOf(pdf);
    const childrenOf = (text: string): string[] => {
      const [, many, one] = /\/K (?:\[([^\]]*)\]|(\d+ 0 R))/.exec(text) ?? [];
      return [...(many ?? one ?? '').matchAll(/(\d+) 0 R/g)].map(([, id = '']) => objects.get(id) ?? '');
    };
    const walk = (text: string): unknown => {
      const tag = /\/S \/(\w+)/.exec(text)?.[1];
      const scope = /\/Scope \/(\w+)/.exec(text)?.[1];
      const children = childrenOf(text).filter((child) => child.includes('/S /'));
      const name = scope === undefined ? tag : `${String(tag)} ${scope}`;
      return children.length === 0 ? name : [name, ...children.map(walk)];
    };
    const root = [...objects.values()].find((text) => text.includes('/Type /StructTreeRoot')) ?? '';
    return childrenOf(root).map(walk);
  }

  it('name the title, the paragraphs, and every cell of the table with its heading', async () => {
    const pdf = await toDocumentPdf(toShownInvoice(invoice, FAREBOX));
    const text = pdf.toString('latin1');
    expect(text).toContain('/Marked true');
    expect(text).toContain('/Lang (en)');
    expect(text).toContain('/DisplayDocTitle true');
    const cells = (name: string): string[] => Array.from({ length: 6 }, () => name);
    expect(tagsOf(pdf)).toEqual([
      [
        'Document',
        'H1',
        ...Array.from({ length: 5 }, () => 'P'),
        [
          'Table',
          ['TR', ...cells('TH Column')],
          ['TR', ...cells('TD')],
          ['TR', ...cells('TD')],
          ['TR', 'TH Row', ...cells('TD').slice(1)],
        ],
        ...Array.from({ length: 3 }, () => 'P'),
      ],
    ]);
  });

  it('go on over pages', async () => {
    const lines = Array.from({ length: 100 }, (_, i) => ({
      ...line,
      model: `m-${String(i)}`,
      amount: '0.000000000',
    }));
    const pdf = await toDocumentPdf(toShownInvoice({ ...invoice, lines }, FAREBOX));
    const [, , , , , , , table] = (tagsOf(pdf) as unknown[][])[0] ?? [];
    expect(table).toHaveLength(1 + 1 + 100 + 1);
  });
});
