export {
  NANO_PER_USD,
  ZERO_NANO,
  fromDecimalUsd,
  fromUsdPerMillionTokens,
  priceOfTokens,
  roundUpToNano,
  toDecimalUsd,
  toNanoUsd,
  toPicoUsd,
  toUsdPerMillionTokens,
  type NanoUsd,
  type PicoUsd,
} from './nano-usd';
