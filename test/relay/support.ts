import { Database } from "bun:sqlite"
import { expect } from "bun:test"
import { restoreReceipt } from "../../src/accounting/stored-receipt.ts"
import type { JsonObject } from "../../src/canon/json.ts"
import { databaseFileIn } from "../../src/store/sqlite/database-file.ts"
import { type TestCaller, type TestGateway } from "../support/gateway.ts"
import { until } from "../support/until.ts"

export const CHAT = "/v1/chat/completions"
export const HELLO = [{ role: "user", content: "Hello there, gateway" }]

/** A receipt as it is stored. Amounts are decimal credits. */
export interface Receipt {
  readonly id: string
  readonly status: "settled" | "released" | "expired"
  readonly estimated: boolean
  readonly usage: Readonly<Record<string, number>> | null
  readonly cost: string
  readonly unpriced?: readonly string[]
  readonly hold: string
  readonly deployment: string | null
  readonly first_byte_ms: number | null
  readonly price: {
    readonly multiplier: string
    readonly per_million: object
    readonly period?: {
      readonly name: string | null
      readonly from: string | null
      readonly until: string | null
    }
    readonly group?: { readonly id: string; readonly from: string; readonly multiplier?: string }
  } | null
  readonly attempts: readonly {
    readonly deployment: string
    readonly status: number
    readonly outcome: string
    /** Only the operator sees this member. */
    readonly provider_cost?: string
  }[]
}

export interface ErrorBody {
  readonly error: {
    readonly message: string
    readonly type: string
    readonly code: string
    readonly error_type: string
    readonly balance?: string
    readonly required?: string
  }
}

/** Returns the receipt of a request from the database, including the members that the caller does not see. */
export function keptReceiptOf(gateway: TestGateway, id: string): Receipt | undefined {
  using database = new Database(databaseFileIn(gateway.settings.data), { readonly: true })
  database.run("PRAGMA busy_timeout = 5000")
  const query = database.query<{ body: string }, [string]>(
    "SELECT receipt AS body FROM entries WHERE request = ? AND receipt IS NOT NULL",
  )
  const row = query.get(id)
  return row === null ? undefined : restored(row.body)
}

function restored(body: string): Receipt {
  return restoreReceipt(JSON.parse(body) as JsonObject) as unknown as Receipt
}

/** Returns all receipts of a caller from the database, oldest first. */
export function receiptsOf(gateway: TestGateway, caller: TestCaller): Receipt[] {
  using database = new Database(databaseFileIn(gateway.settings.data), { readonly: true })
  database.run("PRAGMA busy_timeout = 5000")
  const query = database.query<{ body: string }, [string]>(
    "SELECT receipt AS body FROM entries WHERE account = ? AND receipt IS NOT NULL ORDER BY at, request",
  )
  return query.all(caller.account.id).map(({ body }) => restored(body))
}

/** Returns the only receipt of a caller once it has been written and nothing is held. */
export async function onlyReceipt(gateway: TestGateway, caller: TestCaller): Promise<Receipt> {
  await until(() => receiptsOf(gateway, caller).length > 0)
  await nothingHeld(caller)
  const [receipt, ...others] = receiptsOf(gateway, caller)
  expect(others).toEqual([])
  if (!receipt) throw new Error("no receipt")
  return receipt
}

/** Returns the receipt of a response once it has been written. */
export async function receiptOf(caller: TestCaller, response: Response): Promise<Receipt> {
  const id = response.headers.get("x-request-id") ?? ""
  let found = await caller.get(`/v1/receipts/${id}`)
  await until(async () => {
    if (found.status !== 200) found = await caller.get(`/v1/receipts/${id}`)
    return found.status === 200
  })
  return (await found.json()) as Receipt
}

/** Waits until no request of the caller holds credits. */
export async function nothingHeld(caller: TestCaller): Promise<void> {
  await until(async () => (await creditsOf(caller)).held === "0")
}

export async function creditsOf(
  caller: TestCaller,
): Promise<{ balance: string; held: string; available: string }> {
  const response = await caller.get("/v1/credits")
  return (await response.json()) as { balance: string; held: string; available: string }
}

/** Returns the error in a response, with its status. */
export async function errorOf(
  response: Response,
): Promise<ErrorBody["error"] & { status: number }> {
  const { error } = (await response.json()) as ErrorBody
  return { ...error, status: response.status }
}

/** Returns the content of the `data:` lines of a stream. */
export function dataOf(text: string): string[] {
  return [...text.matchAll(/^data: (.*)$/gm)].map((match) => match[1] ?? "")
}

/** Returns the text in the frames of a stream. */
export function contentOf(text: string): string {
  return dataOf(text)
    .filter((data) => data !== "[DONE]")
    .map((data) => JSON.parse(data) as { choices?: { delta?: { content?: string } }[] })
    .map((chunk) => chunk.choices?.[0]?.delta?.content ?? "")
    .join("")
}

/**
 * Returns the error event that ends a broken stream.
 * @throws when the stream is complete, or ends without an error.
 */
export function streamErrorOf(text: string): ErrorBody["error"] {
  expect(text).not.toContain("[DONE]")
  const last = dataOf(text).at(-1) ?? "{}"
  const { error } = JSON.parse(last) as Partial<ErrorBody>
  if (!error) throw new Error(`no error event at the end of: ${text}`)
  return error
}

/** Reads a stream until its text satisfies the condition. The rest stays unread. */
export async function readUntil(
  reader: { read(): Promise<{ done: boolean; value?: Uint8Array | undefined }> },
  isEnough: (text: string) => boolean,
): Promise<string> {
  const decoder = new TextDecoder()
  let text = ""
  while (!isEnough(text)) {
    const { done, value } = await reader.read()
    if (done) throw new Error(`the stream ended early: ${text}`)
    text += decoder.decode(value, { stream: true })
  }
  return text
}

/** Converts decimal credits to nanocredits. */
export function nanocredits(credits: string): bigint {
  const [whole = "0", fraction = ""] = credits.split(".")
  return BigInt(whole + fraction.padEnd(9, "0"))
}
