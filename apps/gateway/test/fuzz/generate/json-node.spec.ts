import { changeJson, toJsonNode, writeJson, type JsonChange } from './json-node';

const VALUE = { a: [1, { b: 'c' }], d: null };
/** Places, from 0: the whole, a, 1, the object in a, b, d. */
const changed = (...changes: JsonChange[]): string => writeJson(changeJson(toJsonNode(VALUE), changes));

it('a value is written unchanged', () => {
  expect(changed()).toBe(JSON.stringify(VALUE));
});

it.each<[name: string, change: JsonChange, text: string]>([
  ['replaced', { kind: 'replace', at: 2, by: '1e400' }, '{"a":[1e400,{"b":"c"}],"d":null}'],
  ['replaced as a whole', { kind: 'replace', at: 0, by: '[' }, '['],
  ['inserted', { kind: 'insert', at: 5, name: '"x"', value: '7' }, '{"a":[1,{"b":"c"}],"x":7,"d":null}'],
  ['renamed', { kind: 'rename', at: 4, name: '"__proto__"' }, '{"a":[1,{"__proto__":"c"}],"d":null}'],
  ['wrapped', { kind: 'wrap', at: 5, levels: 2 }, '{"a":[1,{"b":"c"}],"d":[[null]]}'],
  ['removed', { kind: 'remove', at: 1 }, '{"d":null}'],
  ['sent twice', { kind: 'duplicate', at: 1 }, '{"a":[1,{"b":"c"}],"a":[1,{"b":"c"}],"d":null}'],
  [
    'replaced at a place that is counted round',
    { kind: 'replace', at: 11, by: '7' },
    '{"a":[1,{"b":"c"}],"d":7}',
  ],
])('a part of a value is %s', (_name, change, text) => {
  expect(changed(change)).toBe(text);
});
