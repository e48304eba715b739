/** Describes a valid origin, for error messages. */
export const PAGE_ORIGIN_RULE =
  'must be an origin such as https://app.example.com, or "*" for any page'

/**
 * Returns the origin of a page as browsers send it, without a path. Returns `*` for any origin, and undefined if the
 * text is not an origin.
 */
export function pageOriginOf(text: string): string | undefined {
  if (text === "*") return text
  const url = URL.parse(text)
  const isOrigin = url !== null && url.href === `${url.origin}/` && !url.hostname.includes("*")
  return isOrigin && /^https?:\/\//i.test(text) ? url.origin : undefined
}
