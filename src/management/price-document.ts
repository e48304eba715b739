import { CLASS_OF_NAME, PRICE_NAMES } from "#contract/usage-classes.ts"
import { isPriced, type Model } from "../catalog/model.ts"
import { formatCredits } from "../ledger/money.ts"
import { type Price, rateOf, type Rates, ratesFor } from "../ledger/price.ts"
import type { Model as ModelDocument } from "#contract/catalog.ts"

type PriceTable = Record<string, string>

/**
 * The price of a model before the multiplier, credits per million units. With several deployments the highest
 * in each class, as for holds.
 */
export function priceDocument(
  model: Model,
): Pick<ModelDocument, "price" | "price_tiers" | "price_pictures"> {
  const prices = model.deployments.flatMap(({ price }) => price ?? [])
  if (!isPriced(model)) return { price: null, price_tiers: [], price_pictures: null }
  const thresholds = new Set(prices.flatMap(({ tiers }) => tiers.map(({ above }) => above)))
  return {
    price: dearest(prices.map(({ rates }) => rates)),
    price_tiers: [...thresholds]
      .toSorted((left, right) => left - right)
      .map((above) => ({
        above,
        price: dearest(prices.map((price) => ratesFor(price, above + 1))),
      })),
    price_pictures: pictures(prices),
  }
}

/** A class that only one of them prices costs the others what its parent class does. */
function dearest(all: readonly Rates[]): PriceTable {
  const table: PriceTable = {}
  for (const name of PRICE_NAMES) {
    const usageClass = CLASS_OF_NAME[name]
    if (all.every((rates) => rates[usageClass] === undefined)) continue
    table[name] = formatCredits(max(all.map((rates) => rateOf(rates, usageClass))))
  }
  return table
}

function pictures(prices: readonly Price[]): PriceTable | null {
  const names = new Set(prices.flatMap((price) => [...(price.imageRates?.keys() ?? [])]))
  if (names.size === 0) return null
  const rates = [...names].map((name) => {
    const known = prices.map(
      (price) => price.imageRates?.get(name) ?? rateOf(price.rates, "images"),
    )
    return [name, formatCredits(max(known))] as const
  })
  return Object.fromEntries(rates)
}

function max(rates: readonly bigint[]): bigint {
  return rates.reduce((left, right) => (right > left ? right : left), 0n)
}
