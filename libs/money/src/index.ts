export {
  NANO_PER_CENT,
  ZERO_NANO,
  fromDecimalUsd,
  fromUsdPerMillionTokens,
  priceOfTokens,
  roundUpToNano,
  toDecimalUsd,
  toNanoUsd,
  toPicoUsd,
  toUsdPerMillionTokens,
  type AmountsAsText,
  type NanoUsd,
  type PicoUsd,
} from './nano-usd';
export {
  byTokenColumn,
  byTokenKind,
  TOKEN_COLUMNS,
  TOKEN_KINDS,
  type TokenColumn,
  type TokenKind,
} from './token-kinds';
