import { databaseAddress, databasePlace } from "../database-address.ts"
import type { Secret } from "./declare.ts"

/** The only information about a secret that may be shown. */
export type Presence = "set" | "not set"

export function presence(secret: unknown): Presence {
  return secret === undefined ? "not set" : "set"
}

/** A secret text. */
export const PLAIN_SECRET: Secret<string> = {
  textsOf: (secret) => [secret],
  describe: presence,
}

/** The address of a server, which contains a password. The server's error messages may contain the password alone. */
export const ADDRESS_SECRET: Secret<string> = {
  textsOf(url) {
    const { password } = new URL(url)
    return password === "" ? [url] : [url, decodeURIComponent(password)]
  },
  describe: presence,
}

/** The address of a database. */
export const DATABASE_SECRET: Secret<string> = {
  textsOf: (url) => [url, decodeURIComponent(databaseAddress(url).password)],
  describe: (url) => url && databasePlace(url),
}

type Headers = Readonly<Record<string, string>>

/** Headers that may contain credentials. */
export const HEADER_SECRET: Secret<Headers> = {
  textsOf: (headers) => Object.values(headers).flatMap(headerSecrets),
  describe: (headers) => headers && describeHeaders(headers),
}

/** Returns the names of headers, without their values. */
export function describeHeaders(headers: Headers): Readonly<Record<string, Presence>> {
  return Object.fromEntries(Object.keys(headers).map((name) => [name, "set"]))
}

/** Returns a header's value, and the credential in it without the scheme. */
export function headerSecrets(value: string): string[] {
  const [, scheme, credential] = /^(\w+) (\S+)$/.exec(value) ?? []
  if (scheme === undefined || credential === undefined) return [value]
  if (scheme.toLowerCase() !== "basic") return [value, credential]
  const [, password = ""] = Buffer.from(credential, "base64").toString("utf8").split(/:(.*)/s)
  return [value, credential, password]
}
