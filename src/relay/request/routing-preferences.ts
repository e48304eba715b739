import type { GatewayError } from "../../canon/errors.ts"

/** What `sort` may ask for. */
export const SORTS = ["price", "throughput", "latency"] as const

/** What `max_price` may limit. */
export const PRICE_LIMITS = ["prompt", "completion", "request", "image"] as const

/**
 * The most that a caller pays, in 10^-15 credits: for a token of a million in or out as the price lists have it, for a
 * million requests, and for a million images.
 */
export type MaxPrice = Readonly<Partial<Record<(typeof PRICE_LIMITS)[number], bigint>>>

/** The caller's preferred providers, by their configured names. */
export interface ProviderPreferences {
  /** Tried first, in this order. */
  readonly order?: readonly string[]
  /** No others are called. */
  readonly only?: readonly string[]
  /** Never called. */
  readonly ignore?: readonly string[]
  readonly sort?: (typeof SORTS)[number]
  /** Whether `sort` puts the deployments of all models in one order, and not those of each model. */
  readonly sortsAll: boolean
  readonly maxPrice?: MaxPrice
  /** Whether others than the first one, or than those of `order`, may be tried. */
  readonly allowsFallbacks: boolean
  /** Errors for fields that this gateway does not have, which OpenRouter may. */
  readonly unknown: readonly GatewayError[]
}

/** Models and providers that a request prefers. */
export interface RoutingPreferences {
  /** Fallback models in order. */
  readonly models?: readonly string[]
  readonly provider?: ProviderPreferences
  /** Whether only those are called that take everything in the request. */
  readonly requiresParameters: boolean
}
