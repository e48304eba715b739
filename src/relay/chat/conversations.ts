import {
  type ConversationAnswer,
  type ConversationForm,
  conversationKey,
  type ConversationName,
} from "../../canon/conversation.ts"
import { GatewayError } from "../../canon/errors.ts"
import { JsonScanner } from "../../canon/json-structure.ts"
import { isJsonObject, type JsonObject, type JsonValue } from "../../canon/json.ts"
import type { ConversationSettings } from "../../config/settings.ts"
import type { KeyHasher } from "../../keys/secret.ts"
import type { Reservation } from "../../limits/memory-budget.ts"
import type {
  ConversationRecord,
  ConversationRoom,
  FindOptions,
  FoundParts,
  KeptPart,
} from "../../store/conversations.ts"
import type { Call } from "../pipeline/call.ts"
import { ConversationCipher } from "./conversation-cipher.ts"

const SWEEP_EVERY = 600_000
/** Bytes of what is kept of one answer with all that came before it. One that is longer is not kept. */
const MAX_KEPT = 32 * 1024 * 1024
/** What is read before its memory is set aside. Bytes. */
const SMALL = 32 * 1024
/** What is read is in memory encrypted, as text and parsed; what is written, as text and encrypted. */
const COPIES_READ = 3
const COPIES_WRITTEN = 2
/** What continues it is in memory as text once more, and as what goes upstream. */
const COPIES_SENT = 2
const MARK_LENGTH = 48
/** As in a body: parsing more would block the event loop. */
const MAX_VALUES = 500_000
/** How long an answer waits for being written. This process finds it before, other processes then. Milliseconds. */
const PATIENCE = 50

/** Where conversations are kept. */
export interface ConversationKeeper {
  keep(record: ConversationRecord, room: ConversationRoom): Promise<void>
  find(hashes: readonly string[], input: FindOptions): Promise<FoundParts>
  delete(hash: string): Promise<boolean>
  sweep(now: number, keep: number): Promise<void>
}

/** What conversations are kept with. */
export interface ConversationParts {
  readonly keeper: ConversationKeeper
  readonly hasher: KeyHasher
  readonly secret: string
  readonly settings: () => ConversationSettings
  /** Hears of what could not be kept or deleted. @param request empty where it was about none. */
  readonly failed: (request: string, error: unknown) => void
}

/** An answer that is kept. */
export interface KeptAnswer {
  /** As its caller got it. */
  readonly body: JsonObject
  /** The items that it was asked with; null where only its vendor knows them. */
  readonly before: readonly JsonValue[] | null
}

/** A body with all that it goes on from, or what of that is not kept for its account. */
export type WrittenOut =
  | { readonly body: JsonObject }
  | { readonly body?: undefined; readonly missing: readonly ConversationName[] }

/** An answer that is stored once it is charged. */
export interface Keeping {
  readonly call: Call
  readonly form: ConversationForm
  readonly body: JsonObject
}

/**
 * Stores answers, and what they were asked with, for their accounts, so that these can go on from them with
 * every model. What is stored is encrypted, and found by hashes that include the account.
 */
export class Conversations implements Disposable {
  readonly #parts: ConversationParts
  readonly #seal: ConversationCipher
  readonly #timer: Timer

  constructor(parts: ConversationParts) {
    this.#parts = parts
    this.#seal = new ConversationCipher(parts.secret)
    this.#timer = setInterval(() => void this.#sweep(), SWEEP_EVERY)
    this.#timer.unref()
    void this.#sweep()
  }

  get isOn(): boolean {
    return this.#parts.settings().keep > 0
  }

  /**
   * A body with the items in it that it goes on from.
   * @param memory takes what they need before they are read.
   * @throws GatewayError `book_unavailable`, `overloaded`, or `body_too_large` where it is more than can be taken.
   */
  async writtenOut({ call, form, body }: Keeping, memory: Reservation): Promise<WrittenOut> {
    const names = form.names(body)
    if (names.length === 0) return { body }
    const found = await this.#find(call.key.account, names, memory)
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
      const items = kept.get(key) ?? itemsOf(found.get(key), name, form)
      if (items === undefined) missing.push(name)
      else kept.set(key, items)
    }
    return missing.length > 0 ? { missing } : { body: form.replaced(body, kept) }
  }

  /**
   * Keeps an answer that is charged. It never fails: a caller that cannot go on from it learns so then. Returns when it
   * is written, or when that takes too long; in either case it can be continued from.
   * @param last the answer, or its last frame.
   */
  async keep(keeping: Keeping, last: JsonObject): Promise<void> {
    const { call } = keeping
    const answer = keeping.form.answer(last)
    if (answer === undefined || !this.isOn) return
    const memory = call.memory.isOver ? call.memory.another() : call.memory
    try {
      const record = await this.#recordOf(keeping, answer, memory)
      if (record) await this.#write(call.id, record)
    } catch (error) {
      this.#parts.failed(call.id, error)
    } finally {
      if (memory !== call.memory) memory[Symbol.dispose]()
    }
  }

  /** An answer of an account. @throws GatewayError `book_unavailable`, `overloaded`. */
  async find(account: string, id: string, memory: Reservation): Promise<KeptAnswer | undefined> {
    const name = { kind: "response", id } as const
    const text = (await this.#find(account, [name], memory)).get(conversationKey(name))
    return text === undefined ? undefined : (JSON.parse(text.toString("utf8")) as KeptAnswer)
  }

  /** The ids of the items of an answer; none where it is not kept. @throws as `find`. */
  async itemsOf(account: string, id: string, memory: Reservation): Promise<string[]> {
    const output = (await this.find(account, id, memory))?.body.output
    return (Array.isArray(output) ? output : []).flatMap((item) =>
      isJsonObject(item) && typeof item.id === "string" ? [item.id] : [],
    )
  }

  /** A value that is always the same for an answer, and reveals nothing of it. */
  mark(account: string, id: string, index: number): string {
    return this.#hash(account, { kind: "item", id: `${id}\0${index}` }).slice(0, MARK_LENGTH)
  }

  /** Deletes an answer with its items. @returns whether there was one. @throws GatewayError `book_unavailable`. */
  async delete(account: string, id: string): Promise<boolean> {
    try {
      return await this.#parts.keeper.delete(this.#hash(account, { kind: "response", id }))
    } catch (cause) {
      throw unreachable(cause)
    }
  }

  /** What is stored of an answer; undefined where it is too much. */
  async #recordOf(
    keeping: Keeping,
    answer: ConversationAnswer,
    memory: Reservation,
  ): Promise<ConversationRecord | undefined> {
    const { call, form } = keeping
    const { account } = call.key
    if (call.bodyBytes > MAX_KEPT) return undefined
    memory.takeBody(call.bodyBytes * COPIES_WRITTEN)
    const { body: whole } = await this.writtenOut(keeping, memory)
    const before = (whole && form.items(whole)) ?? null
    const response = { kind: "response", id: answer.id } as const
    const texts: [ConversationName, string][] = [
      [response, JSON.stringify({ body: answer.body, before } satisfies KeptAnswer)],
    ]
    for (const item of answer.items) {
      if (typeof item.id !== "string") continue
      texts.push([{ kind: "item", id: item.id }, JSON.stringify(item)])
    }
    const bytes = texts.reduce((sum, [, text]) => sum + Buffer.byteLength(text), 0)
    if (bytes > MAX_KEPT) return undefined
    const parts = texts.map(([name, text]) => this.#seal.encrypt(this.#hash(account, name), text))
    const at = Date.now()
    return { account, at, expiresAt: at + this.#parts.settings().keep, parts }
  }

  /** The answer is in memory until it is written, so that a slow disk or a locked file holds up no answer. */
  async #write(request: string, record: ConversationRecord): Promise<void> {
    const { keeper, settings, failed } = this.#parts
    const { accountBytes, totalBytes } = settings()
    const { promise: enough, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, PATIENCE)
    const written = keeper
      .keep(record, { accountBytes, totalBytes })
      .catch((error: unknown) => failed(request, error))
    await Promise.race([written, enough])
    clearTimeout(timer)
  }

  /** The texts that exist, by `conversationKey`. */
  async #find(
    account: string,
    names: readonly ConversationName[],
    memory: Reservation,
  ): Promise<ReadonlyMap<string, Buffer>> {
    const texts = new Map<string, Buffer>()
    if (!this.isOn) return texts
    const byHash = new Map(names.map((name) => [this.#hash(account, name), conversationKey(name)]))
    const scanner = new JsonScanner()
    for (const part of await this.#read([...byHash.keys()], memory)) {
      const text = this.#seal.open(part)
      const key = byHash.get(part.hash)
      if (text === undefined || key === undefined) continue
      scanner.push(text)
      texts.set(key, text)
    }
    if (scanner.values > MAX_VALUES) throw tooLarge()
    memory.takeBody(scanner.bytes)
    return texts
  }

  /** The parts; memory for them is set aside before they are read. */
  async #read(hashes: readonly string[], memory: Reservation): Promise<readonly KeptPart[]> {
    const small = await this.#look(hashes, SMALL)
    if (typeof small !== "number") return small
    if (small > 2 * MAX_KEPT) throw tooLarge()
    memory.takeBody(small * COPIES_READ)
    const large = await this.#look(hashes, small)
    // Only what was stored meanwhile can have made it larger.
    if (typeof large === "number") throw unreachable(undefined)
    return large
  }

  async #look(hashes: readonly string[], max: number): Promise<FoundParts> {
    const { keeper, settings, failed } = this.#parts
    try {
      return await keeper.find(hashes, { now: Date.now(), keep: settings().keep, max })
    } catch (cause) {
      failed("", cause)
      throw unreachable(cause)
    }
  }

  #hash(account: string, { kind, id }: ConversationName): string {
    return this.#parts.hasher.hash(`conversation\0${account}\0${kind}\0${id}`)
  }

  async #sweep(): Promise<void> {
    try {
      await this.#parts.keeper.sweep(Date.now(), this.#parts.settings().keep)
    } catch (error) {
      this.#parts.failed("", error)
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }
}

function itemsOf(
  text: Buffer | undefined,
  { kind }: ConversationName,
  form: ConversationForm,
): readonly JsonValue[] | undefined {
  if (text === undefined) return undefined
  const json = text.toString("utf8")
  if (kind === "item") return [JSON.parse(json) as JsonValue]
  const { body, before } = JSON.parse(json) as KeptAnswer
  return before === null ? undefined : [...before, ...(form.answer(body)?.items ?? [])]
}

function tooLarge(): GatewayError {
  return new GatewayError(
    "body_too_large",
    `The conversation that this request goes on from is larger than the ${MAX_KEPT / 1_048_576} MB that are kept of one. Send what is still needed of it.`,
  )
}

function unreachable(cause: unknown): GatewayError {
  return new GatewayError(
    "book_unavailable",
    "The gateway cannot read just now what it keeps of conversations. Try again shortly, or send the whole conversation.",
    { cause },
  )
}
