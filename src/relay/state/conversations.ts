import {
  type ConversationResponse,
  type ConversationForm,
  conversationKey,
  type ConversationName,
} from "../../canon/conversation.ts"
import { isJsonObject, type JsonObject, type JsonValue } from "../../canon/json.ts"
import { isLargeJson, jsonBytesInSlices } from "../../canon/sliced-json-text.ts"
import type { Reservation } from "../../limits/memory-budget.ts"
import type { Call } from "../request/call.ts"
import {
  type ConversationParts,
  ConversationTexts,
  isReadable,
  MAX_KEPT,
  parseText,
  tooLarge,
} from "./conversation-texts.ts"

/** Number of copies of written data in memory: as text and encrypted. */
const COPIES_WRITTEN = 2
/**
 * Number of copies of the items in memory when a request continues from a response: as text, and in the upstream body.
 */
const COPIES_SENT = 2
const MARK_LENGTH = 48

/** A stored response. */
export interface KeptResponse {
  /** The body as it was sent to the caller. */
  readonly body: JsonObject
  /** The input items; null if only the vendor has them. */
  readonly before: readonly JsonValue[] | null
}

/** A body with all items from which it continues, or the reference that is missing. */
export type CompletedBody =
  | { readonly body: JsonObject }
  | { readonly body?: undefined; readonly missing: readonly ConversationName[] }

/** A response that is stored once the request is charged. */
export interface ResponseToStore {
  readonly call: Call
  readonly form: ConversationForm
  readonly body: JsonObject
}

/**
 * Stores responses and their requests for accounts. An account can continue from a stored response with every model.
 * Stored data is encrypted, and is found by hashes that include the account.
 */
export class Conversations implements Disposable {
  readonly #texts: ConversationTexts

  constructor(parts: ConversationParts) {
    this.#texts = new ConversationTexts(parts)
  }

  get isOn(): boolean {
    return this.#texts.isOn
  }

  /**
   * Returns a body together with the items from which it continues.
   * @param memory the memory in which space for the items is reserved before they are read.
   * @throws GatewayError `ledger_unavailable`, `overloaded`, or `body_too_large` if the items exceed the maximum.
   */
  async writtenOut(
    { call, form, body }: ResponseToStore,
    memory: Reservation,
  ): Promise<CompletedBody> {
    const names = form.names(body)
    if (names.length === 0) return { body }
    const found = await this.#texts.find(call.key.account, names, memory)
    const length = names.reduce(
      (sum, name) => sum + (found.get(conversationKey(name))?.length ?? 0),
      0,
    )
    if (length > MAX_KEPT) throw tooLarge()
    memory.takeBody(length * COPIES_SENT)
    const kept = new Map<string, readonly JsonValue[]>()
    const missing: ConversationName[] = []
    for (const name of names) {
      const key = conversationKey(name)
      const items = kept.get(key) ?? (await itemsOf(found.get(key), name, form))
      if (items === undefined) missing.push(name)
      else kept.set(key, items)
    }
    return missing.length > 0 ? { missing } : { body: form.replaced(body, kept) }
  }

  /**
   * Stores a charged response. It never fails. If a response could not be stored, a caller that continues from it
   * receives an error at that time. It returns when the response is written, or after a timeout. In both cases, the
   * response can be continued.
   * @param last the response, or its last frame.
   */
  async keep(keeping: ResponseToStore, last: JsonObject): Promise<void> {
    const { call } = keeping
    const response = keeping.form.response(last)
    if (response === undefined || !this.isOn) return
    const memory = call.memory.isOver ? call.memory.another() : call.memory
    try {
      const texts = await this.#textsOf(keeping, response, memory)
      if (texts) await this.#texts.write(call.id, call.key.account, texts)
    } catch (error) {
      this.#texts.failed(call.id, error)
    } finally {
      if (memory !== call.memory) memory[Symbol.dispose]()
    }
  }

  /** Returns a response of an account. @throws GatewayError `ledger_unavailable`, `overloaded`. */
  async find(account: string, id: string, memory: Reservation): Promise<KeptResponse | undefined> {
    const name = { kind: "response", id } as const
    const text = (await this.#texts.find(account, [name], memory)).get(conversationKey(name))
    return text === undefined ? undefined : keptResponse(await parseText(text))
  }

  /** Whether a response of an account is stored. @throws GatewayError `ledger_unavailable`. */
  has(account: string, id: string): Promise<boolean> {
    return this.#texts.has(account, { kind: "response", id })
  }

  /**
   * Returns the ids of the items of a response; empty if the response is not stored.
   * @throws GatewayError like `find`.
   */
  async itemsOf(account: string, id: string, memory: Reservation): Promise<string[]> {
    const output = (await this.find(account, id, memory))?.body.output
    return (Array.isArray(output) ? output : []).flatMap((item) =>
      isJsonObject(item) && typeof item.id === "string" ? [item.id] : [],
    )
  }

  /**
   * Returns a mark for an item. It is always the same for the same response, and reveals nothing about the response.
   */
  mark(account: string, id: string, index: number): string {
    return this.#texts.hash(account, { kind: "item", id: `${id}\0${index}` }).slice(0, MARK_LENGTH)
  }

  /** Deletes a response with its items. @returns whether it existed. @throws GatewayError `ledger_unavailable`. */
  delete(account: string, id: string): Promise<boolean> {
    return this.#texts.delete(account, { kind: "response", id })
  }

  /**
   * Returns the texts to store for a response; undefined if they are too long, or have too many values to be read
   * again.
   */
  async #textsOf(
    keeping: ResponseToStore,
    response: ConversationResponse,
    memory: Reservation,
  ): Promise<readonly [ConversationName, Buffer][] | undefined> {
    const { call, form } = keeping
    if (call.bodyBytes > MAX_KEPT) return undefined
    memory.takeBody(call.bodyBytes * COPIES_WRITTEN)
    const { body: whole } = await this.writtenOut(keeping, memory)
    const before = (whole && form.items(whole)) ?? null
    const name = { kind: "response", id: response.id } as const
    const text = await textOf({ body: response.body, before: before && [...before] })
    if (text.byteLength > MAX_KEPT || !(await isReadable(text))) return undefined
    const texts: [ConversationName, Buffer][] = [[name, text]]
    for (const item of response.items) {
      if (typeof item.id !== "string") continue
      texts.push([{ kind: "item", id: item.id }, await textOf(item)])
    }
    const bytes = texts.reduce((sum, [, each]) => sum + each.byteLength, 0)
    return bytes > MAX_KEPT ? undefined : texts
  }

  [Symbol.dispose](): void {
    this.#texts[Symbol.dispose]()
  }
}

/** Returns the JSON of a stored response or item. Long JSON is serialized in slices. */
async function textOf(kept: JsonObject): Promise<Buffer> {
  if (!isLargeJson(kept)) return Buffer.from(JSON.stringify(kept))
  const { buffer } = await jsonBytesInSlices(kept)
  return Buffer.from(buffer)
}

async function itemsOf(
  text: Buffer | undefined,
  { kind }: ConversationName,
  form: ConversationForm,
): Promise<readonly JsonValue[] | undefined> {
  if (text === undefined) return undefined
  const value = await parseText(text)
  if (kind === "item") return [value]
  const { body, before } = keptResponse(value)
  return before === null ? undefined : [...before, ...(form.response(body)?.items ?? [])]
}

/** Returns a stored response. Its type is known, because the gateway wrote it. */
function keptResponse(value: JsonValue): KeptResponse {
  return value as unknown as KeptResponse
}
