import { withoutTrailing } from "#contract/trailing.ts"

/**
 * Returns the public address without `/v1`: the configured address, otherwise the origin of the request, otherwise the
 * gateway's own address.
 * @param reached the origin of the request as reported by trusted proxies.
 */
export type BaseUrl = (reached?: string) => string

/** Returns the path before all paths of the gateway, such as `/ai` for `https://example.com/ai`. Usually empty. */
export function basePathOf(publicUrl: string | undefined): string {
  return withoutTrailing((publicUrl && URL.parse(publicUrl)?.pathname) || "", "/")
}
