import type { Model, ModePrice, PricePeriod } from "#contract/catalog.ts"
import { NO_MULTIPLIER, ratesWith } from "../relay/billing/customer-receipt.ts"

/**
 * Returns a model for a caller who does not see the operator's costs: without deployments, and with prices that include
 * the multiplier.
 */
export function customerModel(model: Model): Model {
  const { multiplier, price_in_force: inForce } = model
  return {
    ...model,
    ...pricesWith(model, multiplier),
    price_modes: modesWith(model.price_modes, multiplier),
    price_periods: model.price_periods.map((period): PricePeriod => ({
      ...period,
      ...pricesWith(period, multiplier),
      price: ratesWith(period.price, multiplier),
      modes: modesWith(period.modes, multiplier),
    })),
    price_in_force: inForce && {
      ...inForce,
      ...pricesWith(inForce, multiplier),
      price: ratesWith(inForce.price, multiplier),
    },
    price_source: null,
    multiplier: NO_MULTIPLIER,
    deployments: [],
  }
}

type Prices = Pick<Model, "price" | "price_tiers" | "price_images">

function pricesWith({ price, price_tiers, price_images }: Prices, multiplier: string): Prices {
  return {
    price: price && ratesWith(price, multiplier),
    price_tiers: tiersWith(price_tiers, multiplier),
    price_images: price_images && ratesWith(price_images, multiplier),
  }
}

function tiersWith(tiers: Model["price_tiers"], multiplier: string): Model["price_tiers"] {
  return tiers.map(({ above, price }) => ({ above, price: ratesWith(price, multiplier) }))
}

/** Multiplies separate rates of modes. A factor applies to rates that already include the multiplier. */
function modesWith(
  modes: Readonly<Record<string, ModePrice>>,
  multiplier: string,
): Record<string, ModePrice> {
  return Object.fromEntries(
    Object.entries(modes).map(([name, mode]) => [
      name,
      typeof mode === "string"
        ? mode
        : {
            price: ratesWith(mode.price, multiplier),
            price_tiers: tiersWith(mode.price_tiers, multiplier),
          },
    ]),
  )
}
