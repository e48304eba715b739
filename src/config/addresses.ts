import { isIP } from "node:net"
import { PAGE_ORIGIN_RULE, pageOriginOf } from "#contract/page-origin.ts"
import { Fault, reading, readingText, SECRET_TEXT } from "./reading.ts"

const HOST_NAME = /^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/

/** Reads a name or address to listen on. */
export function host() {
  return readingText((text) => {
    if (isIP(text) !== 0 || HOST_NAME.test(text)) return text
    return new Fault("must be a host name or an IP address such as 127.0.0.1, without a port")
  })
}

/** Reads an IP address, or a range with its prefix, as in `10.0.0.0/8`. */
export function network() {
  return readingText(readNetwork)
}

/** Parses an IP address or range from any source. */
export function readNetwork(text: string): string | Fault {
  const [address = "", prefix] = text.split("/", 2)
  const bits = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0
  const isPlain = bits > 0 && !text.includes("%") && !/^[:0]*:ffff:/i.test(address)
  const isWhole = text === (prefix === undefined ? address : `${address}/${prefix}`)
  const isPrefix = prefix === undefined || (/^[1-9]\d{0,2}$/.test(prefix) && +prefix <= bits)
  if (isPlain && isWhole && isPrefix) return text
  return new Fault("must be an IP address such as 10.0.0.7, or a range such as 10.0.0.0/8")
}

/**
 * Whether an address contains a user. A slash in a password ends the host unless it is percent-encoded, so that the `@`
 * is in the path. A path may contain `@` only at the start of a later segment (`/ai/run/@cf/model`).
 */
function hasUser({ username, password, pathname }: URL): boolean {
  return username !== "" || password !== "" || /^\/+@|[^/]@/.test(pathname)
}

/** Reads an http or https address without a trailing slash. */
export function address() {
  return readingText((text) => {
    const url = URL.parse(text)
    if (!url || !/^https?:\/\//i.test(text.trim())) {
      return new Fault("must be an address that starts with http:// or https://")
    }
    if (hasUser(url)) {
      return new Fault("must not hold a user name or password. Use api_key or headers")
    }
    if (/[?#]/.test(text)) return new Fault("must not have a query ('?') or a fragment ('#')")
    return url.href.replace(/\/+$/, "")
  })
}

/**
 * Endpoint paths, which people copy together with the base URL from a vendor's examples. Some base URLs end in
 * `/models` without a version.
 */
const ENDPOINT_PATH =
  /\/(chat\/completions|completions|responses|messages|embeddings|rerank|images\/(generations|edits)|audio\/(speech|transcriptions|translations)|models\/[^/]+:\w+|(?<=\/v\d\w{0,20}\/)models)$/

/** Reads the base URL of a provider. The gateway appends the path of each endpoint. */
export function baseAddress() {
  const any = address()
  return reading((input) => {
    const written = any.readOne(input)
    if (written instanceof Fault) return written
    const base = written.replace(ENDPOINT_PATH, "")
    if (base === written) return written
    return new Fault(
      `ends in the path of an endpoint, which the gateway adds itself. Write ${base}`,
    )
  })
}

/**
 * Reads a complete HTTP or HTTPS URL. Its query may contain a secret, so error messages do not repeat it.
 */
export function wholeAddress() {
  return readingText((text) => {
    const url = URL.parse(text.trim())
    if (!url || !/^https?:$/.test(url.protocol)) {
      return new Fault("must be an address that starts with http:// or https://")
    }
    if (hasUser(url)) return new Fault("must not hold a user name or password. Use headers")
    return url.href
  }, SECRET_TEXT)
}

/** Reads the origin of a page as browsers send it, without a path; `*` for any origin. */
export function pageOrigin() {
  return readingText((text) => pageOriginOf(text) ?? new Fault(PAGE_ORIGIN_RULE))
}

const PLACE = /^[a-z0-9]([a-z0-9.:-]*[a-z0-9])?$/

const ACCOUNT = /^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/

/** Reads the customer's part of a vendor's address. For a URL, this is its host. */
export function accountName() {
  return readingText((text) => {
    const name = text.replace(/^https:\/\//, "").replace(/\/+$/, "")
    if (ACCOUNT.test(name)) return name
    return new Fault("must be letters, digits, dots, hyphens and underscores, such as my-account")
  })
}

/** Reads a name that becomes part of an address, such as a region, a location or a project. */
export function placeName(example: string) {
  return readingText((text) => {
    if (PLACE.test(text)) return text
    return new Fault(`must be lowercase letters, digits and hyphens, such as ${example}`)
  })
}
