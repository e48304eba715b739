import { BlockList, isIP } from "node:net"

type Environment = Readonly<Record<string, string | undefined>>

/** The variables that name a proxy for each protocol. The first variable that is set is used. */
const VARIABLES: Readonly<Record<string, readonly string[]>> = {
  "http:": ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"],
  "https:": ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"],
}

/** A proxy named in the environment. */
export interface Proxy {
  readonly variable: string
  /** The unparsed value of the variable, which may contain a password. */
  readonly value: string
}

/** Returns the proxy for `http:` or `https:`, by the rules of the runtime's own client. */
export function proxyFor(protocol: string, environment: Environment): Proxy | undefined {
  const variable = VARIABLES[protocol]?.find((name) => environment[name])
  const value = variable === undefined ? undefined : environment[variable]
  return variable === undefined || value === undefined ? undefined : { variable, value }
}

/** Returns the list of hosts that bypass the proxy; undefined if it is not set. */
export function noProxy(environment: Environment): string | undefined {
  return environment["no_proxy"] || environment["NO_PROXY"] || undefined
}

/**
 * Reports whether a request goes through a proxy, by the rules of the runtime's own client. An entry in the list of
 * exceptions is a network, or a host with all its subdomains, with or without a port.
 */
export function isProxied(url: URL, environment: Environment): boolean {
  if (proxyFor(url.protocol, environment) === undefined) return false
  const host = url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "")
  const port = url.port || (url.protocol === "https:" ? "443" : "80")
  const entries = (noProxy(environment) ?? "").toLowerCase().split(/[\s,]+/)
  return !entries.some((entry) => entry !== "" && matches(entry, host, port))
}

function matches(entry: string, host: string, port: string): boolean {
  if (entry === "*" || entry.replace(/^\[|\]$/g, "") === host) return true
  if (isIP(host) !== 0 && entry.includes("/")) return isWithin(entry, host)
  const [, name = "", named] = /^(?:\*?\.)?(.+?)\.?(?::(\d+))?$/.exec(entry) ?? []
  if (named !== undefined && named !== port) return false
  return host === name || (isIP(host) === 0 && host.endsWith(`.${name}`))
}

function isWithin(entry: string, host: string): boolean {
  const [network = "", prefix = ""] = entry.split("/", 2)
  const family = isIP(network) === 6 ? "ipv6" : "ipv4"
  const bits = family === "ipv6" ? 128 : 32
  if (isIP(network) !== isIP(host) || !/^\d+$/.test(prefix) || Number(prefix) > bits) return false
  const list = new BlockList()
  list.addSubnet(network, Number(prefix), family)
  return list.check(host, family)
}

/** Returns the fault of a proxy setting, worded as the end of a sentence; undefined if the setting is usable. */
export function proxyFault({ value }: Proxy): string | undefined {
  const written = value.trim()
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(written)?.[1]?.toLowerCase()
  if (scheme?.startsWith("socks")) {
    return "names a SOCKS proxy, which is not supported. Name an HTTP proxy, such as http://proxy:3128, or unset it"
  }
  const url = URL.parse(scheme === undefined ? `http://${written}` : written)
  const isWeb = url !== null && /^https?:$/.test(url.protocol) && url.hostname !== ""
  // Without a scheme, the runtime's own client parses the user name as the host.
  const isRead = scheme !== undefined || url?.username === ""
  // If a password contains a slash or a hash, the rest of the setting is parsed as a path.
  if (isWeb && isRead && `${url.pathname}${url.search}${url.hash}` === "/") return undefined
  return "is not the address of a proxy. Write it as http://proxy:3128; a password must be percent-encoded"
}

/** Returns the host and port of a proxy, without its user and password. */
export function proxyHost({ value }: Proxy): string {
  const written = value.trim()
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(written) ? written : `http://${written}`)
  return url === null || url.host === "" ? "(malformed)" : `${url.protocol}//${url.host}`
}

/** Returns a warning for each active variable that cannot be used. */
export function proxyWarnings(environment: Environment): string[] {
  const faults = Object.keys(VARIABLES).flatMap((protocol) => {
    const proxy = proxyFor(protocol, environment)
    const fault = proxy && proxyFault(proxy)
    return proxy === undefined || fault === undefined ? [] : [`${proxy.variable}: ${fault}.`]
  })
  return [...new Set(faults)]
}
