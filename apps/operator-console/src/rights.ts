import { useQuery } from '@tanstack/react-query';
import { meQuery, type Verb } from './api';

/** The verb, if this operator may use it: every button asks this, and no table of its own. */
export function useVerb(words: string): Verb | undefined {
  return useQuery(meQuery).data?.verbs.find(({ verb }) => verb === words);
}
