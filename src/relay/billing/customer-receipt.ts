import { readDecimal, multiplyDecimals, formatDecimal } from "#contract/decimal.ts"
import type { CallerReceipt } from "#contract/receipts.ts"

/** The multiplier of prices that already include it. */
export const NO_MULTIPLIER = "1"

const FORMULA = "cost = ceil(sum(quantity x per_million / 1000000)), rounded up to the nanocredit"

/**
 * Returns a receipt for a caller that does not see the operator's costs. Its rates include the multiplier, so the
 * arithmetic still results in the charge.
 */
export function customerReceipt<Shown extends CallerReceipt>(receipt: Shown): Shown {
  const { routed_by: _, price, arithmetic, ...shown } = receipt
  const multiplier = price?.multiplier ?? NO_MULTIPLIER
  return {
    ...shown,
    deployment: null,
    attempts: [],
    price: price && customerPrice(price),
    arithmetic:
      arithmetic?.map((line) => ({
        ...line,
        per_million: withMultiplier(line.per_million, multiplier),
      })) ?? null,
    formula: FORMULA,
  } as unknown as Shown
}

type ReceiptPrice = NonNullable<CallerReceipt["price"]>

function customerPrice({ group, ...price }: ReceiptPrice): ReceiptPrice {
  const { multiplier } = price
  const tiers = price["tiers"] as readonly Tier[] | undefined
  return {
    ...price,
    per_million: ratesWith(price.per_million, multiplier),
    ...(tiers && {
      tiers: tiers.map((tier) => ({
        ...tier,
        per_million: ratesWith(tier.per_million, multiplier),
      })),
    }),
    multiplier: NO_MULTIPLIER,
    ...(group && { group: { id: group.id, from: group.from } }),
  }
}

interface Tier {
  readonly per_million: Readonly<Record<string, string>>
}

/** Multiplies all rates of a table by a multiplier. */
export function ratesWith(
  rates: Readonly<Record<string, string>>,
  multiplier: string,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(rates).map(([name, rate]) => [name, withMultiplier(rate, multiplier)]),
  )
}

/** Multiplies a rate by a multiplier. The product is exact, so it may have fifteen decimal places. */
function withMultiplier(rate: string, multiplier: string): string {
  const { value, places } = multiplyDecimals(readDecimal(rate), readDecimal(multiplier))
  return formatDecimal(value, places)
}
