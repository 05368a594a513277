import { toListPage } from './fields';

const idOf = (record: { id: string }): string => record.id;
const records = ['c', 'b', 'a'].map((id) => ({ id }));

describe('toListPage', () => {
  it('reports that there are more, and omits the extra one', () => {
    expect(toListPage(records, 2, idOf)).toEqual({
      object: 'list',
      data: [{ id: 'c' }, { id: 'b' }],
      first_id: 'c',
      last_id: 'b',
      has_more: true,
    });
  });

  it('ends where the records end', () => {
    expect(toListPage(records, 3, idOf)).toMatchObject({ last_id: 'a', has_more: false });
  });

  it('may be empty', () => {
    expect(toListPage([], 3, idOf)).toEqual({
      object: 'list',
      data: [],
      first_id: null,
      last_id: null,
      has_more: false,
    });
  });
});
