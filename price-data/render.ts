import { mapModes, ratesOf } from "./shape.ts"
import type { Facts, ModelFacts, Price, TieredRates } from "./shape.ts"

/** Returns the text of facts.json. It is sorted and has one line per model. */
export function renderFacts(facts: Facts): string {
  const vendors = sorted(facts.vendors).map(([vendor, models]) => {
    const lines = sorted(models).map(
      ([name, model]) => `      ${JSON.stringify(name)}: ${JSON.stringify(ordered(model))}`,
    )
    return `    ${JSON.stringify(vendor)}: {\n${lines.join(",\n")}\n    }`
  })
  return [
    "{",
    `  "date": ${JSON.stringify(facts.date)},`,
    `  "generated_from": ${JSON.stringify(facts.generated_from)},`,
    '  "services": {',
    sorted(facts.services)
      .map(([vendor, each]) => `    ${JSON.stringify(vendor)}: ${JSON.stringify(each)}`)
      .join(",\n"),
    "  },",
    '  "vendors": {',
    vendors.join(",\n"),
    "  }",
    "}\n",
  ].join("\n")
}

// Sorts by code unit. The sort order of a locale differs between machines.
function sorted<Value>(record: Record<string, Value>): [string, Value][] {
  return Object.entries(record).toSorted(([left], [right]) => (left < right ? -1 : 1))
}

function ordered(model: ModelFacts): ModelFacts {
  return model.price === undefined ? model : { ...model, price: orderedPrice(model.price) }
}

function orderedRates(rates: TieredRates): TieredRates {
  const tiers = rates.tiers?.map((tier) => ({ above: tier.above, ...ratesOf(tier) }))
  return { ...ratesOf(rates), ...(tiers === undefined ? {} : { tiers }) }
}

function orderedPrice(price: Price): Price {
  const { minimum_seconds: minimum, modes, periods } = price
  const { tiers, ...rates } = orderedRates(price)
  return {
    ...rates,
    ...(minimum === undefined ? {} : { minimum_seconds: minimum }),
    ...(tiers === undefined ? {} : { tiers }),
    ...(modes === undefined ? {} : { modes: mapModes(modes, orderedRates) }),
    ...(periods === undefined ? {} : { periods }),
  }
}
