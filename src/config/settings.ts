import type { DeclaredSettings } from "./declared-settings.ts"
import type { ModelSettings } from "./sections/models.ts"
import type { PriceGroupSettings } from "./sections/price-groups.ts"
import type { ProviderSettings } from "./sections/providers.ts"

export type { DatabaseSettings } from "./sections/database.ts"
export type {
  AuthorizedUser,
  ExternalAccount,
  GoogleCredentials,
  ServiceAccount,
} from "./google-credentials.ts"
export type { ImageSettings } from "./sections/images.ts"
export type {
  ModeTable,
  PricePeriodSettings,
  PriceSettings,
  ServicePriceSettings,
} from "./sections/model-prices.ts"
export type { DeploymentSettings, ModelSettings } from "./sections/models.ts"
export type { PriceGroupSettings, PriceTermSettings } from "./sections/price-groups.ts"
export type { NamedCredential, ProviderSettings } from "./sections/providers.ts"
export type { Strategy, TimeoutSettings, Disconnect, RoutingSettings } from "./sections/routing.ts"
export type { ConversationSettings, IdempotencySettings } from "./sections/storage.ts"

/**
 * The typed settings that all other modules use. Amounts stay decimal text, so that no amount is converted to a
 * floating-point number on its way to the ledger.
 */
export interface Settings extends DeclaredSettings {
  readonly providers: Readonly<Record<string, ProviderSettings>>
  readonly models: Readonly<Record<string, ModelSettings>>
  readonly priceGroups?: Readonly<Record<string, PriceGroupSettings>>
}
