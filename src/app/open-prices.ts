import { Audit } from "../management/audit.ts"
import type { LiveSettings } from "../management/live-settings.ts"
import { PriceRefresh } from "../management/prices/price-refresh.ts"
import { PriceUpdates } from "../management/prices/price-updates.ts"
import type { Store } from "../store/store.ts"
import type { Events } from "../telemetry/events.ts"
import type { AppOptions } from "./options.ts"
import type { State } from "./state.ts"

interface PriceParts {
  readonly store: Store
  readonly live: LiveSettings
  readonly state: State
  readonly events: Events
  readonly options: Pick<AppOptions, "pricePace">
}

/** Opens the updates of known prices. */
export function openPrices(
  { store, live, state, events, options }: PriceParts,
  building: AsyncDisposableStack,
): PriceUpdates {
  const settings = () => state.settings.prices
  const updates = new PriceUpdates({
    store,
    audit: new Audit(store),
    ownKeys: () => settings().keys,
    taken: (stored) => live.taken(stored),
    onChange: (news) => events.priceChanged(news),
  })
  const { pricePace: every } = options
  const pace = every === undefined ? {} : { every }
  building.use(
    new PriceRefresh({ updates, settings, onFailure: events.pricesNotRefreshed, ...pace }),
  )
  return updates
}
