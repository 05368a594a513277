import { BYTES_OF_TURN, Pace } from '@farebox/flow';

/** Of a value beside its characters. */
const WEIGHT = 64;
/** Characters of a long string that are examined or replaced at once. */
const PART_LENGTH = 64 * 1024;
const REPLACEMENT = 0xfffd;

/** Whether a string has neither NUL nor halves of surrogate pairs. */
export function isFit(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/**
 * Looks for unfit strings in a parsed value, names included, in turns of the event loop if it is long. Returns whether
 * there is one, or replaces in place what is unfit in them, and then returns whether it replaced anything.
 */
export async function findUnfit(
  holder: { value: unknown },
  { replaces }: { replaces: boolean },
): Promise<boolean> {
  const pace = new Pace();
  let isFound = false;
  let sinceTurn = 0;
  const open: object[] = [holder];
  for (let object = open.pop(); object; object = open.pop()) {
    const members = object as Record<string, unknown>;
    for (const name in members) {
      const member = members[name];
      sinceTurn += name.length + WEIGHT;
      if (typeof member === 'object' && member !== null) open.push(member);
      const isUnfit =
        typeof member === 'string' &&
        !(member.length <= PART_LENGTH ? isFit(member) : await isFitInTurns(member, pace));
      const isNameUnfit = !isFit(name);
      if (isUnfit || isNameUnfit) {
        if (!replaces) return true;
        isFound = true;
        const fit = isUnfit ? await toFitInTurns(member, pace) : member;
        if (isNameUnfit) Reflect.deleteProperty(members, name);
        members[isNameUnfit ? toFit(name) : name] = fit;
      }
      if (typeof member === 'string') sinceTurn += member.length;
      if (sinceTurn < BYTES_OF_TURN) continue;
      sinceTurn = 0;
      await pace.giveWay();
    }
  }
  return isFound;
}

async function isFitInTurns(text: string, pace: Pace): Promise<boolean> {
  for (const part of partsOf(text)) {
    if (!isFit(part)) return false;
    await pace.giveWay();
  }
  return true;
}

async function toFitInTurns(text: string, pace: Pace): Promise<string> {
  let fit = '';
  for (const part of partsOf(text)) {
    fit += toFit(part);
    if (part.length < text.length) await pace.giveWay();
  }
  return fit;
}

/** Never cut between the halves of a surrogate pair. */
function* partsOf(text: string): Generator<string> {
  for (let start = 0; start < text.length;) {
    let end = Math.min(start + PART_LENGTH, text.length);
    if (end < text.length && isHigh(text.charCodeAt(end - 1))) end--;
    yield text.slice(start, end);
    start = end;
  }
}

/** On its units: `replaceAll` makes an object for each replacement, which takes ten times as long. */
function toFit(text: string): string {
  const units = new Uint16Array(text.length);
  const bytes = Buffer.from(units.buffer);
  bytes.write(text, 'utf16le');
  // By index: an iterator takes several times as long.
  for (let i = 0; i < units.length; i++) {
    const unit = units[i] ?? 0;
    if (unit === 0 || isLow(unit)) units[i] = REPLACEMENT;
    else if (!isHigh(unit)) continue;
    else if (isLow(units[i + 1] ?? 0)) i++;
    else units[i] = REPLACEMENT;
  }
  return bytes.toString('utf16le');
}

const isHigh = (unit: number): boolean => (unit & 0xfc00) === 0xd800;
const isLow = (unit: number): boolean => (unit & 0xfc00) === 0xdc00;
