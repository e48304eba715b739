import {
  atPlaces,
  type Decimal,
  divideUp,
  formatDecimal,
  multiplyDecimals,
  plainDecimal,
  readDecimal,
} from "tollgate-contract/decimal.ts"

export interface ArithmeticLine {
  readonly class: string
  readonly quantity: number
  readonly is_minimum?: true | undefined
  readonly per_million: string
  /** The model of this line; set if it is not the requested model. */
  readonly model?: string | undefined
}

/** A charge, recomputed step by step so that the reader can follow it. All texts are exact. */
export interface WorkedCharge {
  readonly lines: readonly { readonly line: ArithmeticLine; readonly amount: string }[]
  readonly sum: string
  readonly product: string
  /** The product, rounded up to the nanocredit. */
  readonly rounded: string
}

const MILLIONTH: Decimal = { value: 1n, places: 6 }
const NANO_PLACES = 9

/** Computes `ceil(sum(quantity x per_million / 1000000) x multiplier)` with every step. */
export function workCharge(lines: readonly ArithmeticLine[], multiplier: string): WorkedCharge {
  const amounts = lines.map((line) =>
    multiplyDecimals(
      multiplyDecimals(decimalOf(String(line.quantity)), decimalOf(line.per_million)),
      MILLIONTH,
    ),
  )
  const sum = amounts.reduce(add, { value: 0n, places: 0 })
  const product = multiplyDecimals(sum, decimalOf(multiplier))
  return {
    lines: lines.map((line, index) => ({ line, amount: textOf(amounts[index] ?? sum) })),
    sum: textOf(sum),
    product: textOf(product),
    rounded: textOf(roundUp(product)),
  }
}

/** Parses a decimal such as `12` or `0.5`, or a very small number in JavaScript's format, such as `1e-7`. */
function decimalOf(text: string): Decimal {
  return readDecimal(plainDecimal(text) ?? text)
}

function add(left: Decimal, right: Decimal): Decimal {
  const places = Math.max(left.places, right.places)
  return { value: atPlaces(left, places) + atPlaces(right, places), places }
}

function roundUp({ value, places }: Decimal): Decimal {
  if (places <= NANO_PLACES) return { value, places }
  return { value: divideUp(value, 10n ** BigInt(places - NANO_PLACES)), places: NANO_PLACES }
}

function textOf({ value, places }: Decimal): string {
  return formatDecimal(value, places)
}
