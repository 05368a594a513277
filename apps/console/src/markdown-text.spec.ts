import { toSafeAddress, toText } from './markdown-text';

it.each([
  ['https://example.com/a?b=c', 'https://example.com/a?b=c'],
  ['HTTP://example.com', 'http://example.com/'],
  ['mailto:ada@example.com', 'mailto:ada@example.com'],
])('follows a link to %s', (href, address) => {
  expect(toSafeAddress(href)).toBe(address);
});

it.each([
  'javascript:alert(1)',
  ' JavaScript:alert(1)',
  'java\tscript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:x',
  'file:///etc/passwd',
  'blob:https://example.com/1',
  '/billing?add=true',
  '//elsewhere.example',
  '#main',
  '',
])('follows no link to %j', (href) => {
  expect(toSafeAddress(href)).toBeUndefined();
});

it('shows character references as the characters that they mean, once', () => {
  expect(toText('a &amp; b &LT;c&gt; &#39;d&#x27; &amp;lt; &nbsp;')).toBe("a & b <c> 'd' &lt; \u00A0");
  expect(toText('&unknown; &#0; &#9999999; AT&T')).toBe('&unknown; &#0; &#9999999; AT&T');
});
