const DECIMAL = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?$/
const NANO = 9
const EXACT_PLACES = 30
const MILLION_PLACES = 6

/**
 * Returns a number in any notation, such as `1.5e-07`, in whole units of 10^-places. Fractions of a unit are cut off.
 * @param places digits after the decimal point.
 * @returns undefined if the text is not a number.
 */
export function scaled(text: string, places: number): bigint | undefined {
  const [, sign, whole = "", fraction = "", exponent = "0"] = DECIMAL.exec(text.trim()) ?? []
  if (sign === undefined || whole + fraction === "") return undefined
  const shift = places + Number(exponent) - fraction.length
  const digits = BigInt(whole + fraction)
  const value = shift >= 0 ? digits * 10n ** BigInt(shift) : digits / 10n ** BigInt(-shift)
  return sign === "-" ? -value : value
}

/** Returns an amount of dollars as nanocredits. */
export function nanocreditsOf(amount: number | string): bigint | undefined {
  return scaled(String(amount), NANO)
}

/**
 * Converts a price per unit to a price per million units, as decimal text. Prices have at most nine decimal places.
 * Longer prices are rounded up, so that the result is never below the source's price.
 */
export function perMillion(price: number | string): string | undefined {
  const exact = scaled(String(price), EXACT_PLACES + MILLION_PLACES)
  if (exact === undefined || exact < 0n) return undefined
  const step = 10n ** BigInt(EXACT_PLACES - NANO)
  const text = ((exact + step - 1n) / step).toString().padStart(NANO + 1, "0")
  const whole = text.slice(0, -NANO)
  const fraction = text.slice(-NANO).replace(/0+$/, "")
  return fraction === "" ? whole : `${whole}.${fraction}`
}
