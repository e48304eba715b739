/*
 * The largest numbers that the ledger stores. Numbers of a provider, of a price list or of an older receipt are held to
 * them where they enter, so that a row can always be stored.
 */

/** Units of one usage class in one request, and milliseconds of one request. A billion such requests can be summed. */
export const MAX_QUANTITY = 10_000_000_000
/** Nanocredits that one request writes off, or costs its operator: a million credits. */
export const MAX_REPORTED_AMOUNT = 1_000_000_000_000_000n
/** Nanocredits in a 64-bit column. */
export const MAX_STORED_AMOUNT = 2n ** 63n - 1n
/** Nanocredits per million units, and millionths of a multiplier: below a billion, as in the settings. */
export const MAX_RATE = 10n ** 18n
export const MAX_MULTIPLIER = 10n ** 15n

/** Limits an amount that a provider or a receipt reports to the stored maximum. */
export function reportedAmount(amount: bigint): bigint {
  if (amount <= 0n) return 0n
  return amount < MAX_REPORTED_AMOUNT ? amount : MAX_REPORTED_AMOUNT
}

/** An amount or a sum of amounts, held to a 64-bit column. */
export function storedAmount(amount: bigint): bigint {
  if (amount > MAX_STORED_AMOUNT) return MAX_STORED_AMOUNT
  return amount < -MAX_STORED_AMOUNT ? -MAX_STORED_AMOUNT : amount
}
