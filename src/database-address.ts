/** The parts of `postgres://user:password@one:5432,two:5432/name?sslmode=verify-full`. */
export interface DatabaseAddress {
  /** The scheme and, if given, the user and password: `postgres://user:password@`. */
  readonly start: string
  /** The password, still percent-encoded. */
  readonly password: string
  /** Hosts such as `name:port` or `[::1]:5432`. A single empty host stands for a socket of this machine. */
  readonly hosts: readonly string[]
  /** The database name with its slash. */
  readonly database: string
  readonly parameters: URLSearchParams
}

/** The first of these characters ends the user, password and hosts. */
const AUTHORITY_END = /[/?#]/
const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]*)(:\d{1,5})?$/i
const HOST_AND_PORT = /^(?:\[[0-9a-f:.]+\]|[a-z0-9._-]*):([^:[\]]*)$/i
const MAX_PORT = 65_535

/** The reason why an address cannot be read. It does not quote the address. */
export type AddressFault = "not_an_address" | "not_encoded" | "wrong_port" | "quoted"

/** Splits the address of a database into its parts. */
export function readDatabaseAddress(text: string): DatabaseAddress | AddressFault {
  const scheme = /^postgres(?:ql)?:\/\//i.exec(text)?.[0]
  if (scheme === undefined) return /^["'\u201c]/.test(text) ? "quoted" : "not_an_address"
  const rest = text.slice(scheme.length)
  const end = rest.search(AUTHORITY_END)
  const authority = end < 0 ? rest : rest.slice(0, end)
  const tail = end < 0 ? "" : rest.slice(end)
  const at = authority.lastIndexOf("@")
  const user = at < 0 ? "" : authority.slice(0, at + 1)
  const hosts = authority.slice(at + 1).split(",")
  const [, database = "", query = "", fragment] = /^(\/[^?#]*)?(\?[^#]*)?(#.*)?$/s.exec(tail) ?? []
  // Each of these characters ends a password that is not percent-encoded, so that the rest of the password is misread.
  const isCut =
    fragment !== undefined ||
    database.includes("@") ||
    (query.includes("@") && (at < 0 || database.length < 2))
  if (isCut || !isDecodable(user)) return "not_encoded"
  if (!hosts.every((host) => HOST.test(host))) {
    if (tail.includes("@")) return "not_encoded"
    return hosts.some(hasWrongPort) ? "wrong_port" : "not_an_address"
  }
  if (hosts.some(hasWrongPort)) return "wrong_port"
  if (hosts.length > 1 && hosts.includes("")) return "not_an_address"
  const colon = user.indexOf(":")
  const password = colon < 0 ? "" : user.slice(colon + 1, -1)
  const start = `${scheme}${user}`
  return { start, password, hosts, database, parameters: new URLSearchParams(query) }
}

function hasWrongPort(host: string): boolean {
  const port = HOST_AND_PORT.exec(host)?.[1]
  if (port === undefined) return false
  return !/^\d{1,5}$/.test(port) || Number(port) < 1 || Number(port) > MAX_PORT
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/**
 * Returns the parts of a validated address.
 * @throws Error if the address is invalid.
 */
export function databaseAddress(url: string): DatabaseAddress {
  const address = readDatabaseAddress(url)
  if (typeof address === "string") throw new Error("the address of the database cannot be read")
  return address
}

/** Returns an address without its user, password and parameters, for messages. */
export function databasePlace(url: string): string {
  const { hosts, database } = databaseAddress(url)
  return `postgres://${hosts.join(",")}${database}`
}

/** Whether a host is this machine. */
export function isLocalHost(host: string): boolean {
  const name = host.replace(/:\d+$/, "")
  return /^(|localhost|\[::1\]|127(\.\d{1,3}){3})$/i.test(name)
}

/** Parameters that only clients with several hosts support. */
const CHOICES = ["target_session_attrs", "load_balance_hosts"]

/** Returns one address per host, for clients that support only one host. */
export function hostAddresses(url: string): string[] {
  const { start, hosts, database, parameters } = databaseAddress(url)
  const kept = new URLSearchParams([...parameters].filter(([name]) => !CHOICES.includes(name)))
  const query = kept.size > 0 ? `?${kept}` : ""
  return hosts.map((host) => {
    const one = `${start}${host}${database}${query}`
    return URL.parse(one)?.href ?? one
  })
}
