import * as z from "zod"
import { boundedText } from "../../canon/bounded-text.ts"
import { pinnedFetch, PinnedFetchError, readWebAddress } from "../../wire/http/pinned-fetch.ts"
import { BillError, readAmount, readQuantity } from "./bill.ts"

const DEFAULT_TIMEOUT_MS = 60_000
/** Limits of a page of costs. The numbers of a page are read one by one, which takes a microsecond each. */
const PAGE_LIMITS = { maxBytes: 32 * 1024 * 1024, maxValues: 1_000_000 }

/** An optional text or number. Both are strings, because `getCosts` returns numbers as strings. */
export const optionalText = z.string().nullish()

/** The address and the credentials of a provider's cost API. */
export interface CostAddress {
  /** The name of the API, for messages. */
  readonly name: string
  /** The address without a trailing slash. */
  readonly baseUrl: string
  readonly headers: Readonly<Record<string, string>>
  /** Whether the address may be in a private network. */
  readonly allowsPrivate: boolean
  /** The environment variable with the key, for messages. */
  readonly keyVariable: string
  /** Timeout for each document in milliseconds; 60 seconds if absent. */
  readonly timeoutMs?: number
}

export type Query = Readonly<Record<string, string | readonly string[]>>

/**
 * Fetches a document from a cost API. Numbers are returned as text with all digits that the provider sent.
 * @throws BillError without the provider's message, which may contain a part of the key.
 */
export async function getCosts<Shape extends z.ZodType>(
  address: CostAddress,
  { path, query, shape }: { readonly path: string; readonly query: Query; readonly shape: Shape },
): Promise<z.infer<Shape>> {
  const url = readWebAddress(`${address.baseUrl}${path}`)
  for (const [name, value] of Object.entries(query)) {
    if (typeof value === "string") url.searchParams.set(name, value)
    else for (const one of value) url.searchParams.append(`${name}[]`, one)
  }
  const text = await send(address, url)
  const found = shape.safeParse(parseNumbersAsText(text))
  if (found.success) return found.data
  const place = found.error.issues[0]?.path.join(".") ?? ""
  throw new BillError(
    `${address.name} answered ${path} in an unknown format${place === "" ? "" : ` (${place})`}`,
    "Use a newer version of Tollgate, or export the bill and use --file.",
  )
}

async function send(address: CostAddress, url: URL): Promise<string> {
  const { name, headers, allowsPrivate, keyVariable, timeoutMs = DEFAULT_TIMEOUT_MS } = address
  try {
    const response = await pinnedFetch(url, {
      headers: { accept: "application/json", "accept-encoding": "identity", ...headers },
      allowsPrivate,
      deadline: timeoutMs,
    })
    const { status } = response
    if (status === 200) return await readText(name, response)
    await response.body?.cancel()
    if (status === 401 || status === 403) {
      throw new BillError(
        `${name} rejects the key in ${keyVariable} (${status})`,
        "Use a key with access to the organization's costs: an admin or management key.",
      )
    }
    const hint =
      status === 429 || status >= 500
        ? "Try again later."
        : "Check base_url of the provider and the days."
    throw new BillError(`${name} answered ${url.pathname} with status ${status}`, hint)
  } catch (error) {
    if (error instanceof BillError) throw error
    throw new BillError(
      `${name}: ${reasonOf(error, timeoutMs)}`,
      "Check base_url of the provider and the network.",
    )
  }
}

function reasonOf(error: unknown, timeoutMs: number): string {
  if (error instanceof PinnedFetchError) return error.message
  const isLate = error instanceof Error && error.name === "TimeoutError"
  return isLate ? `the response took longer than ${timeoutMs / 1_000} s` : "the response broke off"
}

async function readText(name: string, { body }: Response): Promise<string> {
  const text = await boundedText(body, PAGE_LIMITS)
  if (text === undefined) throw new BillError(`${name} sent too much`, "Request fewer days.")
  return text
}

function parseNumbersAsText(text: string): unknown {
  try {
    return JSON.parse(text, numberAsText as (name: string, value: unknown) => unknown)
  } catch {
    return undefined
  }
}

function numberAsText(_: string, value: unknown, { source }: { readonly source?: string }) {
  return typeof value === "number" ? source : value
}

/**
 * Parses an amount.
 * @throws BillError
 */
export function amountFrom(name: string, text: string, shift = 0) {
  return checked(name, text, () => readAmount(text, shift))
}

/**
 * Parses a quantity.
 * @throws BillError
 */
export function quantityFrom(name: string, text: string | null | undefined, unit = 1n): bigint {
  if (text === null || text === undefined) return 0n
  return checked(name, text, () => readQuantity(text, unit))
}

function checked<Value>(name: string, text: string, read: () => Value): Value {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new BillError(
      `${name} sent '${text.slice(0, 60)}', which ${error.message}`,
      "Contact the provider, or export the bill and use --file.",
    )
  }
}

/**
 * Requires US dollars.
 * @throws BillError
 */
export function checkCurrency(name: string, currency: string): void {
  if (currency.toUpperCase() === "USD") return
  throw new BillError(
    `${name} bills in '${currency}', and prices are in US dollars`,
    "Export the bill in USD and use --file.",
  )
}
