// The largest numbers that the ledger stores. Numbers from providers, price lists and old receipts are capped on input,
// so that every row can be stored.

/**
 * Maximum units of one usage class, and maximum milliseconds, of one request. The quantities of a billion requests can
 * be summed.
 */
export const MAX_QUANTITY = 10_000_000_000
/** Maximum write-off and maximum provider cost of one request in nanocredits: a million credits. */
export const MAX_REPORTED_AMOUNT = 1_000_000_000_000_000n
/** Maximum nanocredits in a 64-bit column. */
export const MAX_STORED_AMOUNT = 2n ** 63n - 1n
/**
 * Upper limit for rates (nanocredits per million units) and multipliers (millionths). The settings allow at most a
 * billion.
 */
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
