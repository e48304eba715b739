import { withoutTrailing } from "#contract/trailing.ts"

/**
 * The address that callers use, without `/v1`: what the operator says, else where this caller reached the gateway,
 * else its own.
 * @param reached where trusted proxies say that the caller reached it.
 */
export type BaseUrl = (reached?: string) => string

/** The path that callers have before every path of the gateway: `/ai` for `https://example.com/ai`; mostly empty. */
export function basePathOf(publicUrl: string | undefined): string {
  return withoutTrailing((publicUrl && URL.parse(publicUrl)?.pathname) || "", "/")
}
