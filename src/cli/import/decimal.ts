const DECIMAL = /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d{1,3}))?$/
const NANO = 9

/**
 * A number of any form, such as `1.5e-07`, as whole units of a power of ten. What is smaller than one unit is cut off.
 * @param places digits after the point of a unit.
 * @returns undefined for what is no number.
 */
export function scaled(text: string, places: number): bigint | undefined {
  const [, sign, whole = "", fraction = "", exponent = "0"] = DECIMAL.exec(text.trim()) ?? []
  if (sign === undefined || whole + fraction === "") return undefined
  const shift = places + Number(exponent) - fraction.length
  const digits = BigInt(whole + fraction)
  const value = shift >= 0 ? digits * 10n ** BigInt(shift) : digits / 10n ** BigInt(-shift)
  return sign === "-" ? -value : value
}

/** An amount of dollars as nanocredits. */
export function nanocreditsOf(amount: number | string): bigint | undefined {
  return scaled(String(amount), NANO)
}

/** A price for one unit as the price of a million, in decimal text; exact. */
export function perMillion(price: number | string): string | undefined {
  const places = 30
  const units = scaled(String(price), places + 6)
  if (units === undefined || units < 0n) return undefined
  const text = units.toString().padStart(places + 1, "0")
  const whole = text.slice(0, -places)
  const fraction = text.slice(-places).replace(/0+$/, "")
  return fraction === "" ? whole : `${whole}.${fraction}`
}
