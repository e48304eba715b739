import * as z from "zod"
import { pinnedFetch, PinnedFetchError, readWebAddress } from "../../wire/http/pinned-fetch.ts"
import { BillError, type Days, readAmount, readQuantity } from "./bill.ts"

const TIMEOUT_MS = 60_000
const MAX_PAGE_BYTES = 32 * 1024 * 1024
const MAX_PAGES = 1_000
/** Days on a page: the most that the lists of usage accept. */
export const PAGE_DAYS = "31"

/** Numbers are texts in documents of cost APIs. */
export const count = z.string().nullish()

/** Where a provider's cost API is, and how it is called. */
export interface CostAddress {
  /** The name of the API, for messages. */
  readonly name: string
  /** Without a slash at its end. */
  readonly baseUrl: string
  readonly headers: Readonly<Record<string, string>>
  /** Whether the address may be in a private network. */
  readonly allowsPrivate: boolean
  /** The environment variable that has the key, for messages. */
  readonly keyVariable: string
}

type Query = Readonly<Record<string, string | readonly string[]>>

/**
 * Gets a document of a cost API. Numbers are texts in it, digit for digit as the provider wrote them.
 * @throws BillError without what the provider said, which can contain a part of the key.
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
    `${address.name} answered ${path} in an unknown form${place === "" ? "" : ` (${place})`}`,
    "Use a newer version of Tollgate, or export the bill and use --file.",
  )
}

async function send(address: CostAddress, url: URL): Promise<string> {
  const { name, headers, allowsPrivate, keyVariable } = address
  try {
    const response = await pinnedFetch(url, {
      headers: { accept: "application/json", "accept-encoding": "identity", ...headers },
      allowsPrivate,
      deadline: TIMEOUT_MS,
    })
    const { status } = response
    if (status === 200) return await readText(name, response)
    await response.body?.cancel()
    if (status === 401 || status === 403) {
      throw new BillError(
        `${name} refuses the key in ${keyVariable} (${status})`,
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
    const reason = error instanceof PinnedFetchError ? error.message : "the response broke off"
    throw new BillError(`${name}: ${reason}`, "Check base_url of the provider and the network.")
  }
}

async function readText(name: string, response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > MAX_PAGE_BYTES) throw new BillError(`${name} sent too much`, "Ask for fewer days.")
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString("utf8")
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

/** One page of a list of days. */
function pageOf<Bucket extends z.ZodType>(bucket: Bucket) {
  return z.object({
    data: z.array(bucket),
    has_more: z.boolean(),
    next_page: z.string().nullish(),
  })
}

/** All days of a list, page by page. @throws BillError */
export async function* costBuckets<Bucket extends z.ZodType>(
  address: CostAddress,
  {
    path,
    query,
    bucket,
  }: { readonly path: string; readonly query: Query; readonly bucket: Bucket },
): AsyncGenerator<z.infer<Bucket>> {
  const shape = pageOf(bucket)
  const pages = new Set<string>()
  let page: string | undefined
  while (pages.size < MAX_PAGES) {
    const paged = page === undefined ? query : { ...query, page }
    const found = await getCosts(address, { path, query: paged, shape })
    yield* found.data
    if (!found.has_more) return
    page = found.next_page ?? undefined
    if (page === undefined || pages.has(page)) break
    pages.add(page)
  }
  throw new BillError(`${address.name} did not end its list ${path}`, "Ask for fewer days.")
}

/** Checks that no day of a list comes twice. */
export class DaysOnce {
  readonly #name: string
  readonly #days: Days
  readonly #seen = new Set<number>()

  constructor(name: string, days: Days) {
    this.#name = name
    this.#days = days
  }

  /** Whether a day is one of the bill. @throws BillError */
  isWanted(day: number): boolean {
    if (this.#seen.has(day) || Number.isNaN(day)) {
      const text = Number.isNaN(day) ? "a bucket without a day" : `the day ${dayText(day)} twice`
      throw new BillError(`${this.#name} sent ${text}`, "Export the bill and use --file.")
    }
    this.#seen.add(day)
    return day >= this.#days.from && day < this.#days.until
  }
}

export function dayText(day: number): string {
  return new Date(day).toISOString().slice(0, "2026-11-21".length)
}

/** @throws BillError */
export function amountFrom(name: string, text: string, shift = 0) {
  return checked(name, text, () => readAmount(text, shift))
}

/** @throws BillError */
export function quantityFrom(name: string, text: string | null | undefined, unit = 1n): bigint {
  if (text === null || text === undefined) return 0n
  return checked(name, text, () => readQuantity(text, unit))
}

function checked<Value>(name: string, text: string, read: () => Value | undefined): Value {
  let reason = "is no number"
  try {
    const value = read()
    if (value !== undefined) return value
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    reason = error.message
  }
  throw new BillError(
    `${name} sent '${text.slice(0, 60)}', which ${reason}`,
    "Ask the provider, or export the bill and use --file.",
  )
}

const STANDARD_TIERS: ReadonlySet<string> = new Set(["standard", "default", "auto"])

/** The tier of a row, unless it is the standard one. */
export function tierOf(tier: string | null | undefined): readonly string[] {
  return tier === null || tier === undefined || STANDARD_TIERS.has(tier) ? [] : [tier]
}

/** @throws BillError */
export function checkCurrency(name: string, currency: string): void {
  if (currency.toUpperCase() === "USD") return
  throw new BillError(
    `${name} bills in '${currency}', and prices are in US dollars`,
    "Export the bill in USD and use --file.",
  )
}
