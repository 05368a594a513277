export {
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
