import { trustedProxies } from './fields';

it.each([
  ['127.0.0.1', ['127.0.0.1']],
  ['10.0.0.0/8, ::1 ,2001:db8::/32', ['10.0.0.0/8', '::1', '2001:db8::/32']],
])('%s', (text, proxies) => {
  expect(trustedProxies().parse(text)).toEqual(proxies);
});

it.each([
  '',
  ',',
  'proxy',
  '10.0.0.0/33',
  '10.0.0.0/0',
  '::/0',
  '::1/129',
  '10.0.0.0/8/8',
  '10.0.0.0/',
  '10.0.0/8',
])('refuses %j', (text) => {
  expect(trustedProxies().safeParse(text).success).toBe(false);
});
