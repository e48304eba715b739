/** What an origin has to look like, for those who wrote another text. */
export const PAGE_ORIGIN_RULE =
  'must be an origin such as https://app.example.com, or "*" for any page'

/**
 * The origin of a page as browsers send it, without a path; `*` for any.
 * @returns undefined for what is none.
 */
export function pageOriginOf(text: string): string | undefined {
  if (text === "*") return text
  const url = URL.parse(text)
  const isOrigin = url !== null && url.href === `${url.origin}/` && !url.hostname.includes("*")
  return isOrigin && /^https?:\/\//i.test(text) ? url.origin : undefined
}
