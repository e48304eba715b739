/** An exact decimal number: `digits` divided by ten to the power of `scale`. */
interface Decimal {
  readonly digits: bigint
  readonly scale: number
}

export interface ArithmeticLine {
  readonly class: string
  readonly quantity: number
  readonly per_million: string
  /** Of a model that was used beside the request's own. */
  readonly model?: string | undefined
}

/** A charge, computed again digit by digit, so that the reader can follow it. All texts are exact. */
export interface WorkedCharge {
  readonly lines: readonly { readonly line: ArithmeticLine; readonly amount: string }[]
  readonly sum: string
  readonly product: string
  /** The product, rounded up to the nanocredit. */
  readonly rounded: string
}

const MILLION: Decimal = { digits: 1n, scale: 6 }
const NANO_SCALE = 9

/** `ceil(sum(quantity x per_million / 1000000) x multiplier)` with every step. */
export function workCharge(lines: readonly ArithmeticLine[], multiplier: string): WorkedCharge {
  const amounts = lines.map((line) =>
    multiply(multiply(decimalOf(String(line.quantity)), decimalOf(line.per_million)), MILLION),
  )
  const sum = amounts.reduce(add, { digits: 0n, scale: 0 })
  const product = multiply(sum, decimalOf(multiplier))
  return {
    lines: lines.map((line, index) => ({ line, amount: textOf(amounts[index] ?? sum) })),
    sum: textOf(sum),
    product: textOf(product),
    rounded: textOf(roundUp(product)),
  }
}

/** Reads `12`, `0.5`, `-3.25` and what JavaScript writes for very small numbers, `1e-7`. */
function decimalOf(text: string): Decimal {
  const [mantissa = "0", exponent = "0"] = text.toLowerCase().split("e")
  const [whole = "0", fraction = ""] = mantissa.split(".")
  const scale = fraction.length - Number(exponent)
  const digits = BigInt(`${whole}${fraction}`)
  return scale >= 0 ? { digits, scale } : { digits: digits * 10n ** BigInt(-scale), scale: 0 }
}

function multiply(one: Decimal, other: Decimal): Decimal {
  return { digits: one.digits * other.digits, scale: one.scale + other.scale }
}

function add(one: Decimal, other: Decimal): Decimal {
  const scale = Math.max(one.scale, other.scale)
  return { digits: scaled(one, scale) + scaled(other, scale), scale }
}

function scaled(value: Decimal, scale: number): bigint {
  return value.digits * 10n ** BigInt(scale - value.scale)
}

function roundUp(value: Decimal): Decimal {
  if (value.scale <= NANO_SCALE) return value
  const divisor = 10n ** BigInt(value.scale - NANO_SCALE)
  const whole = value.digits / divisor
  const hasRest = value.digits % divisor > 0n
  return { digits: hasRest ? whole + 1n : whole, scale: NANO_SCALE }
}

function textOf({ digits, scale }: Decimal): string {
  const isNegative = digits < 0n
  const padded = (isNegative ? -digits : digits).toString().padStart(scale + 1, "0")
  const whole = padded.slice(0, padded.length - scale)
  const fraction = padded.slice(padded.length - scale).replace(/0+$/, "")
  return `${isNegative ? "-" : ""}${whole}${fraction === "" ? "" : `.${fraction}`}`
}
