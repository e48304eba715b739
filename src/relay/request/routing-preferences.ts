import type { GatewayError } from "../../canon/errors.ts"

export const SORTS = ["price", "throughput", "latency"] as const

export const PRICE_LIMITS = ["prompt", "completion", "request", "image"] as const

/**
 * The maximum prices that a caller accepts, in units of 10^-15 credits. For tokens, a price is per million input or
 * output tokens, as in price lists. For requests and images, it is per million requests or images.
 */
export type MaxPrice = Readonly<Partial<Record<(typeof PRICE_LIMITS)[number], bigint>>>

/** The caller's preferred providers, by the names in the configuration. */
export interface ProviderPreferences {
  /** Providers that are tried first, in this order. */
  readonly order?: readonly string[]
  /** Providers that may be called. No other providers are called. */
  readonly only?: readonly string[]
  /** Providers that are never called. */
  readonly ignore?: readonly string[]
  readonly sort?: (typeof SORTS)[number]
  /** Whether `sort` orders the deployments of all models together, instead of each model's deployments separately. */
  readonly sortsAll: boolean
  readonly maxPrice?: MaxPrice
  /**
   * Whether other deployments may be tried if the first one fails. If `order` is set, whether providers that are not in
   * `order` may be tried.
   */
  readonly allowsFallbacks: boolean
  /** Errors for fields that OpenRouter may have but this gateway lacks. */
  readonly unknown: readonly GatewayError[]
}

/** The models and providers that a request prefers. */
export interface RoutingPreferences {
  /** Fallback models, in order. */
  readonly models?: readonly string[]
  readonly provider?: ProviderPreferences
  /** Whether only deployments that support all parts of the request may be called. */
  readonly requiresParameters: boolean
}
