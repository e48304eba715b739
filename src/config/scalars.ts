import { isIP } from "node:net"
import { z } from "zod"
import { MAX_MINIMUM_SECONDS } from "#contract/amounts.ts"
import { commaFault } from "#contract/comma.ts"
import { type DecimalText, plainDecimal } from "#contract/decimal.ts"
import { parseDuration } from "./duration.ts"
import { suggestion } from "./nearest.ts"
import { YamlNumber } from "./yaml-file.ts"
import { PAGE_ORIGIN_RULE, pageOriginOf } from "#contract/page-origin.ts"

/** Why a value is invalid, as the end of a sentence that starts with the setting's name. */
export class Fault {
  readonly message: string

  constructor(message: string) {
    this.message = message
  }
}

/** A JSON Schema. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** How the schemas with a reader of their own look in a JSON Schema; several alternatives are schemas again. */
export const JSON_FORMS = new WeakMap<
  z.core.$ZodType,
  { readonly form: JsonSchema } | { readonly anyOf: readonly z.ZodType[] }
>()

const STRING: JsonSchema = { type: "string" }
/** A reference such as `${NAME}`, which may stand for any value. */
const REFERENCE: JsonSchema = { type: "string", pattern: "\\$\\{" }
export const TEXT_OR_NUMBER: JsonSchema = { type: ["string", "number"] }
/** A number or text, or `off` as YAML 1.1 reads it. */
export const TEXT_OR_OFF: JsonSchema = { anyOf: [TEXT_OR_NUMBER, { const: false }] }

/**
 * A schema from a function that gives the value, or the fault it has.
 * @param form how editors see it; absent: text.
 */
export function reading<Value>(read: (input: unknown) => Value | Fault, form = STRING) {
  const schema = z.unknown().transform((input, context): Value => {
    const result = read(input)
    if (!(result instanceof Fault)) return result
    context.addIssue({ code: "custom", message: result.message })
    return z.NEVER
  })
  JSON_FORMS.set(schema, { form })
  return schema
}

interface Checking<Value> {
  safeParse(input: unknown): {
    readonly data?: Value
    readonly error?: { readonly issues: readonly { readonly message: string }[] }
  }
}

/** A function that parses text by a schema, for values without a place. */
export function readWith<Value>(schema: Checking<Value>): (text: string) => Value | Fault {
  return (text) => {
    const { data, error } = schema.safeParse(text)
    return data ?? new Fault(error?.issues[0]?.message ?? "is not valid")
  }
}

/** Text that is not empty. */
export function readText(input: unknown): string | Fault {
  if (input === undefined) return new Fault("is missing")
  if (input === null) return new Fault("has no value. Give it one, or remove the line")
  if (typeof input !== "string") return new Fault("must be text. Put it in quotes")
  return input.trim() === "" ? new Fault("is empty. Give it a value, or remove the line") : input
}

/** The text of a number, quoted or not, or the text that is there instead. */
export function readNumberText(input: unknown): string | Fault {
  const text = readText(input instanceof YamlNumber ? input.source : input)
  return text instanceof Fault && typeof input === "boolean" ? new Fault("must be a number") : text
}

/** A number within bounds, both included. */
export function number(
  minimum: number,
  maximum: number,
  kind: "number" | "whole number" = "number",
) {
  const wanted = new Fault(
    Number.isFinite(maximum)
      ? `must be a ${kind} from ${minimum} to ${maximum}`
      : `must be a ${kind}, at least ${minimum}`,
  )
  return reading(
    (input) => {
      const text = readNumberText(input)
      if (text instanceof Fault) return text
      const plain = plainDecimal(text)
      if (plain === undefined) return wanted
      const value = Number(plain)
      const whole = kind === "number" || Number.isSafeInteger(value)
      return whole && value >= minimum && value <= maximum ? value : wanted
    },
    {
      type: [kind === "number" ? "number" : "integer", "string"],
      minimum,
      ...(Number.isFinite(maximum) && { maximum }),
    },
  )
}

const MEBIBYTE = 1024 * 1024

/** A number of megabytes, as bytes. */
export function megabytes(minimum: number, maximum: number) {
  return number(minimum, maximum).transform((size) => Math.round(size * MEBIBYTE))
}

/** Bytes as megabytes. */
export function writeMegabytes(bytes: number): string {
  return shortNumber(bytes / MEBIBYTE)
}

const MINUTE = 60_000

/** A number of minutes, as milliseconds. */
export function minutes(minimum: number, maximum: number) {
  return number(minimum, maximum).transform((length) => Math.round(length * MINUTE))
}

/** Milliseconds as minutes. */
export function writeMinutes(milliseconds: number): string {
  return shortNumber(milliseconds / MINUTE)
}

function shortNumber(value: number): string {
  return String(Math.round(value * 100) / 100)
}

/** An amount as exact decimal text, not negative. */
export function amount(places: number) {
  return reading(
    (input) => {
      const text = readNumberText(input)
      if (text instanceof Fault) return text
      const plain = plainDecimal(text)
      if (plain === undefined) {
        return new Fault(commaFault(text) ?? "must be a decimal number such as 0.15")
      }
      const fault = amountFault(plain, places)
      return fault === undefined ? plain : new Fault(fault)
    },
    { type: ["number", "string"], minimum: 0 },
  )
}

/** Whole digits that still fit the ledger's 64-bit columns of nanocredits. */
const WHOLE_DIGITS = 9

/**
 * Why a plain decimal cannot be an amount, as the end of a sentence that starts with its name.
 * @param places the most digits after the point; trailing zeros do not count.
 * @returns undefined when it can.
 */
export function amountFault(text: DecimalText, places: number): string | undefined {
  const [whole = "", fraction = ""] = text.split(".")
  if (text.startsWith("-")) return "must not be negative"
  if (fraction.replace(/0+$/, "").length > places) {
    return `has more than ${places} digits after the point`
  }
  return whole.length > WHOLE_DIGITS ? `must be below ${10 ** WHOLE_DIGITS}` : undefined
}

/** Seconds that a request is charged for at least, as decimal text. */
export function minimumSeconds() {
  return number(1, MAX_MINIMUM_SECONDS, "whole number").transform(String)
}

const MOMENT = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/

/** A moment in Unix milliseconds; a day without a time begins at midnight UTC. */
export function moment() {
  return reading((input) => {
    const text = readText(input)
    if (text instanceof Fault) return text
    const at = MOMENT.test(text) ? Date.parse(text) : NaN
    const isReal = Number.isFinite(at) && dayExists(text)
    return isReal ? at : new Fault("must be a moment such as 2026-12-01 or 2026-12-01T18:00:00Z")
  })
}

/** `2026-02-30` is read as a day of March. */
function dayExists(text: string): boolean {
  const day = text.slice(0, 10)
  return new Date(`${day}T00:00:00Z`).toISOString().slice(0, 10) === day
}

const LONGEST_WAIT = 86_400_000

/** A length of time in whole milliseconds; a number without a unit counts seconds. */
export function duration() {
  return reading((input) => {
    const text = readNumberText(input)
    if (text instanceof Fault) return text
    const milliseconds = parseDuration(
      plainDecimal(text) === undefined ? text : `${plainDecimal(text)}s`,
    )
    if (milliseconds === undefined || milliseconds < 1 || milliseconds > LONGEST_WAIT) {
      return new Fault("must be a length of time such as 500ms, 10s, 5m or 1h, at most 24h")
    }
    return milliseconds
  }, TEXT_OR_NUMBER)
}

/** The same, where `0` or `off` means none, which is 0. */
export function durationOrOff() {
  const length = duration()
  return reading((input) => {
    if (input === false) return 0
    const text = readNumberText(input)
    if (text instanceof Fault) return text
    if (text === "off" || parseDuration(/^[\d.]+$/.test(text) ? `${text}s` : text) === 0) return 0
    const { data, error } = length.safeParse(input)
    if (data !== undefined) return data
    return new Fault(`${error?.issues[0]?.message}, or off`)
  }, TEXT_OR_OFF)
}

export function flag() {
  return reading(
    (input) => {
      if (typeof input === "boolean") return input
      if (input === "true" || input === "false") return input === "true"
      return new Fault("must be true or false")
    },
    { anyOf: [{ type: "boolean" }, { enum: ["true", "false"] }, REFERENCE] },
  )
}

/** One of a few words. */
export function oneOf<Word extends string>(words: readonly Word[], kind: string) {
  return reading(
    (input) => {
      const text = readText(input)
      if (text instanceof Fault) return text
      const word = words.find((word) => word === text)
      return word ?? new Fault(`is no known ${kind}.${suggestion(text, words) || known(words)}`)
    },
    { anyOf: [{ enum: words }, REFERENCE] },
  )
}

function known(words: readonly string[]): string {
  return words.length === 0 ? "" : ` Known here: ${words.join(", ")}`
}

export function text() {
  return reading(readText)
}

/** A secret that goes into a header: white space around it is an accident of copying. */
export function secret() {
  return reading((input) => {
    const text = readText(input)
    return text instanceof Fault ? text : readSecret(text)
  })
}

/** The same for a secret from the environment. */
export function readSecret(text: string): string | Fault {
  const trimmed = text.trim()
  return /^[!-~]+$/.test(trimmed)
    ? trimmed
    : new Fault("must be printable characters without spaces, as it was issued")
}

const HOST_NAME = /^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/

/** A name or address to listen on. */
export function host() {
  return reading((input) => {
    const text = readText(input)
    if (text instanceof Fault || isIP(text) !== 0 || HOST_NAME.test(text)) return text
    return new Fault("must be a host name or an IP address such as 127.0.0.1, without a port")
  })
}

/** An IP address, or a range of them with its prefix, as in `10.0.0.0/8`. */
export function network() {
  return reading((input) => {
    const text = readText(input)
    return text instanceof Fault ? text : readNetwork(text)
  })
}

/** The same from elsewhere. */
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
 * Whether an address names a user. A password with a slash in it that is not percent-encoded ends the host, so that its
 * `@` stands in the path, where it is allowed at the start of a later segment only (`/ai/run/@cf/model`).
 */
function hasUser({ username, password, pathname }: URL): boolean {
  return username !== "" || password !== "" || /^\/+@|[^/]@/.test(pathname)
}

/** An http or https address without a trailing slash. */
export function address() {
  return reading((input) => {
    const text = readText(input)
    if (text instanceof Fault) return text
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

/** Paths of endpoints, which people copy together with the base address from a vendor's examples. */
const ENDPOINT_PATH =
  /\/(chat\/completions|completions|responses|messages|embeddings|rerank|images\/(generations|edits)|audio\/(speech|transcriptions|translations)|models\/[^/]+:\w+)$/

/** The base address of a provider, to which the gateway adds the path of each endpoint. */
export function baseAddress() {
  const any = address()
  return reading((input) => {
    const { data, error } = any.safeParse(input)
    if (data === undefined) return new Fault(error?.issues[0]?.message ?? "is no address")
    const base = data.replace(ENDPOINT_PATH, "")
    if (base === data) return data
    return new Fault(
      `ends in the path of an endpoint, which the gateway adds itself. Write ${base}`,
    )
  })
}

/** A web address with everything in it, a query too, which may hold a secret: no message repeats it. */
export function wholeAddress() {
  return reading((input) => {
    const text = readText(input)
    if (text instanceof Fault) return text
    const url = URL.parse(text.trim())
    if (!url || !/^https?:$/.test(url.protocol)) {
      return new Fault("must be an address that starts with http:// or https://")
    }
    if (hasUser(url)) return new Fault("must not hold a user name or password. Use headers")
    return url.href
  })
}

/** The origin of a page as browsers send it, without a path; `*` for any. */
export function pageOrigin() {
  return reading((input) => {
    const text = readText(input)
    if (text instanceof Fault) return text
    return pageOriginOf(text) ?? new Fault(PAGE_ORIGIN_RULE)
  })
}

const PLACE = /^[a-z0-9]([a-z0-9.:-]*[a-z0-9])?$/

const ACCOUNT = /^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/

/** The customer's part of a vendor's address. If it is a URL, its host is used. */
export function accountName() {
  return reading((input) => {
    const text = readText(input)
    if (text instanceof Fault) return text
    const name = text.replace(/^https:\/\//, "").replace(/\/+$/, "")
    if (ACCOUNT.test(name)) return name
    return new Fault("must be letters, digits, dots, hyphens and underscores, such as my-account")
  })
}

/** A name that becomes part of an address: of a region, a location, a project. */
export function placeName(example: string) {
  return reading((input) => {
    const text = readText(input)
    if (text instanceof Fault || PLACE.test(text)) return text
    return new Fault(`must be small letters, digits and hyphens, such as ${example}`)
  })
}
