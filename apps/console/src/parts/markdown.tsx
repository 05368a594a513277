import { Anchor, Group, Text } from '@mantine/core';
import { lexer, type MarkedToken, type Token, type Tokens } from 'marked';
import { memo, useMemo, type ReactNode } from 'react';
import { toSafeAddress, toText } from '../markdown-text';
import { CopyIcon } from '@farebox/ui/copyable';
import { t } from '@farebox/ui/language';

/**
 * An answer of a model, which nobody vouches for. Only elements that are named here are built, by React, so that
 * HTML in it is shown and never run. Images are links: showing them would tell their host who reads this.
 */
export default function Markdown({ text }: { text: string }) {
  const tokens = useMemo(() => lexer(text, { gfm: true }), [text]);
  return (
    <div className="markdown">
      {tokens.map((token, i) => (
        <Block key={i} token={token} />
      ))}
    </div>
  );
}

/** While a response arrives, only its last block changes. */
const Block = memo(
  ({ token }: { token: Token }) => <>{toElement(token as MarkedToken)}</>,
  (before, after) => before.token.type === after.token.type && before.token.raw === after.token.raw,
);

const toElements = (tokens: readonly Token[] | undefined): ReactNode[] =>
  (tokens ?? []).map((token, i) => <Block key={i} token={token} />);

function toElement(token: MarkedToken): ReactNode {
  switch (token.type) {
    case 'space':
    case 'def':
      return null;
    case 'heading':
      // The page has headings of its own.
      return (
        <p className="markdown-heading" data-depth={token.depth}>
          {toElements(token.tokens)}
        </p>
      );
    case 'paragraph':
      return <p>{toElements(token.tokens)}</p>;
    case 'blockquote':
      return <blockquote>{toElements(token.tokens)}</blockquote>;
    case 'list':
      return <List list={token} />;
    case 'checkbox':
      return token.checked ? '☑ ' : '☐ ';
    case 'code':
      return <CodeBlock code={token.text} language={token.lang?.split(/\s/)[0] ?? ''} />;
    case 'table':
      return <Table table={token} />;
    case 'hr':
      return <hr />;
    case 'br':
      return <br />;
    case 'strong':
      return <strong>{toElements(token.tokens)}</strong>;
    case 'em':
      return <em>{toElements(token.tokens)}</em>;
    case 'del':
      return <del>{toElements(token.tokens)}</del>;
    case 'codespan':
      return <code className="code">{token.text}</code>;
    case 'link':
      return <Link href={token.href}>{toElements(token.tokens)}</Link>;
    case 'image':
      return <Link href={token.href}>{toText(token.text) || token.href}</Link>;
    case 'text':
      return token.tokens ? toElements(token.tokens) : toText(token.text);
    case 'escape':
      return token.text;
    case 'list_item':
    case 'html':
      return token.raw;
  }
}

function List({ list: { ordered, start, items } }: { list: Tokens.List }) {
  const lines = items.map((item, i) => <li key={i}>{toElements(item.tokens)}</li>);
  return ordered ? <ol start={start === '' ? 1 : start}>{lines}</ol> : <ul>{lines}</ul>;
}

function CodeBlock({ code, language }: { code: string; language: string }) {
  return (
    <div className="code-block">
      <Group justify="space-between" className="code-block-head">
        <Text size="xs" c="dimmed">
          {language || t('Code')}
        </Text>
        <CopyIcon text={code} label={t('Copy the code')} />
      </Group>
      <pre className="code" tabIndex={0} role="group" aria-label={`${t('Code')} ${language}`.trim()}>
        <code>{code}</code>
      </pre>
    </div>
  );
}

function Table({ table: { header, rows } }: { table: Tokens.Table }) {
  return (
    <div className="markdown-table" tabIndex={0} role="group" aria-label={t('Table')}>
      <table>
        <thead>
          <tr>
            {header.map((cell, i) => (
              <th key={i} scope="col" style={{ textAlign: cell.align ?? 'start' }}>
                {toElements(cell.tokens)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, i) => (
            <tr key={i}>
              {row.map((cell, column) => (
                <td key={column} style={{ textAlign: cell.align ?? 'start' }}>
                  {toElements(cell.tokens)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Link({ href, children }: { href: string; children: ReactNode }) {
  const address = toSafeAddress(href);
  if (address === undefined) return <>{children}</>;
  return (
    <Anchor href={address} target="_blank" rel="noopener noreferrer nofollow" inherit underline="always">
      {children}
    </Anchor>
  );
}
