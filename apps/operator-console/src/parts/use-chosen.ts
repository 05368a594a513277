import { useNavigate, useSearch } from '@tanstack/react-router';
import type { Search } from '../search';

/** The filters of the page, kept in its address. */
export function useChosen(): readonly [Search, (changed: Search) => void] {
  const search: Search = useSearch({ strict: false });
  const navigate = useNavigate();
  const choose = (changed: Search) =>
    void navigate({
      to: '.',
      search: (before: Search) => ({ ...before, ...changed }),
      replace: true,
      resetScroll: false,
    });
  return [search, choose];
}
