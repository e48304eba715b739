// The largest numbers that the ledger stores. Numbers of a provider, a price list or an older receipt are capped on
// input, so that every row can be stored.

/** Maximum units of one usage class, and milliseconds, of one request. A billion such requests can be summed. */
export const MAX_QUANTITY = 10_000_000_000
/** Maximum nanocredits that one request writes off or costs its operator: a million credits. */
export const MAX_REPORTED_AMOUNT = 1_000_000_000_000_000n
/** Maximum nanocredits in a 64-bit column. */
export const MAX_STORED_AMOUNT = 2n ** 63n - 1n
/** Upper bounds of nanocredits per million units, and of millionths of a multiplier: a billion, as in the settings. */
export const MAX_RATE = 10n ** 18n
export const MAX_MULTIPLIER = 10n ** 15n

/** Caps an amount that a provider or a receipt reports. */
export function reportedAmount(amount: bigint): bigint {
  if (amount <= 0n) return 0n
  return amount < MAX_REPORTED_AMOUNT ? amount : MAX_REPORTED_AMOUNT
}

/** Caps an amount or a sum of amounts to the range of a 64-bit column. */
export function storedAmount(amount: bigint): bigint {
  if (amount > MAX_STORED_AMOUNT) return MAX_STORED_AMOUNT
  return amount < -MAX_STORED_AMOUNT ? -MAX_STORED_AMOUNT : amount
}
