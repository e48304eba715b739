import { withoutTrailing } from "#contract/trailing.ts"

/**
 * Returns the public address without `/v1`: the configured one, else the origin of the request, else the gateway's own.
 * @param reached origin of the request as reported by trusted proxies.
 */
export type BaseUrl = (reached?: string) => string

/** Returns the path before every path of the gateway: `/ai` for `https://example.com/ai`; usually empty. */
export function basePathOf(publicUrl: string | undefined): string {
  return withoutTrailing((publicUrl && URL.parse(publicUrl)?.pathname) || "", "/")
}
