import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto"
import {
  type ConversationForm,
  conversationKey,
  type ConversationName,
} from "../canon/conversation.ts"
import { GatewayError } from "../canon/errors.ts"
import type { JsonObject, JsonValue } from "../canon/json.ts"
import type { ConversationSettings } from "../config/settings.ts"
import type { KeyHasher } from "../keys/secret.ts"
import type {
  ConversationRecord,
  ConversationRoom,
  FindOrder,
  KeptPart,
} from "../store/conversation-records.ts"
import type { Call } from "./call.ts"

const CIPHER = "aes-256-gcm"
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16
const SWEEP_EVERY = 600_000
/** Characters of what is kept of one answer with all that came before it. One that is longer is not kept. */
const MOST_KEPT = 32 * 1024 * 1024

/** Where conversations are kept. */
export interface ConversationKeeper {
  keep(record: ConversationRecord, room: ConversationRoom): Promise<void>
  find(hashes: readonly string[], order: FindOrder): Promise<readonly KeptPart[] | null>
  delete(hash: string): Promise<boolean>
  sweep(now: number): Promise<void>
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

/** An answer that is to be kept once it is charged. */
export interface Keeping {
  readonly call: Call
  readonly form: ConversationForm
  readonly body: JsonObject
}

/**
 * Keeps answers, and what they were asked with, for their accounts, so that these can go on from them with
 * every model. What is kept is sealed, and found by hashes in which the account has a part.
 */
export class Conversations implements Disposable {
  readonly #parts: ConversationParts
  readonly #key: Uint8Array
  readonly #timer: Timer

  constructor(parts: ConversationParts) {
    this.#parts = parts
    const purpose = "tollgate kept conversations"
    this.#key = new Uint8Array(hkdfSync("sha256", parts.secret, "", purpose, KEY_BYTES))
    this.#timer = setInterval(() => void this.#sweep(), SWEEP_EVERY)
    this.#timer.unref()
    void this.#sweep()
  }

  get isOn(): boolean {
    return this.#parts.settings().keep > 0
  }

  /**
   * A body with the items in it that it goes on from.
   * @returns undefined where one of them is not kept for this account.
   * @throws GatewayError `book_unavailable`, or `body_too_large` where it is more than can be taken.
   */
  async writtenOut({ call, form, body }: Keeping): Promise<JsonObject | undefined> {
    const names = form.names(body)
    if (names.length === 0) return body
    const found = await this.#find(call.key.account, names)
    const length = names.reduce(
      (sum, name) => sum + (found.get(conversationKey(name))?.length ?? 0),
      0,
    )
    if (length > MOST_KEPT) throw tooLarge()
    const kept = new Map<string, readonly JsonValue[]>()
    for (const name of names) {
      const key = conversationKey(name)
      const items = kept.get(key) ?? itemsOf(found.get(key), name, form)
      if (items === undefined) return undefined
      kept.set(key, items)
    }
    return form.replaced(body, kept)
  }

  /**
   * Keeps an answer that is charged. It never fails: who cannot go on from it is told so then.
   * @param last the answer, or its last frame.
   */
  async keep(keeping: Keeping, last: JsonObject): Promise<void> {
    const { call, form } = keeping
    const { keeper, settings, failed } = this.#parts
    const { account } = call.key
    const { keep, accountBytes, totalBytes } = settings()
    const answer = form.answer(last)
    if (answer === undefined || keep === 0) return
    try {
      const whole = await this.writtenOut(keeping)
      const before = (whole && form.items(whole)) ?? null
      const response = { kind: "response", id: answer.id } as const
      const texts: [ConversationName, string][] = [
        [response, JSON.stringify({ body: answer.body, before } satisfies KeptAnswer)],
      ]
      for (const item of answer.items) {
        if (typeof item.id !== "string") continue
        texts.push([{ kind: "item", id: item.id }, JSON.stringify(item)])
      }
      if (texts.reduce((sum, [, text]) => sum + text.length, 0) > MOST_KEPT) return
      const parts = texts.map(([name, text]) => this.#seal(this.#hash(account, name), text))
      const at = Date.now()
      await keeper.keep({ account, at, expiresAt: at + keep, parts }, { accountBytes, totalBytes })
    } catch (error) {
      failed(call.id, error)
    }
  }

  /** An answer of an account. @throws GatewayError `book_unavailable`. */
  async find(account: string, id: string): Promise<KeptAnswer | undefined> {
    const name = { kind: "response", id } as const
    const text = (await this.#find(account, [name])).get(conversationKey(name))
    return text === undefined ? undefined : (JSON.parse(text) as KeptAnswer)
  }

  /** Deletes an answer with its items. @returns whether there was one. @throws GatewayError `book_unavailable`. */
  async delete(account: string, id: string): Promise<boolean> {
    try {
      return await this.#parts.keeper.delete(this.#hash(account, { kind: "response", id }))
    } catch (cause) {
      throw unreachable(cause)
    }
  }

  /** The texts of what is there, by `conversationKey`. */
  async #find(
    account: string,
    names: readonly ConversationName[],
  ): Promise<ReadonlyMap<string, string>> {
    const texts = new Map<string, string>()
    if (!this.isOn) return texts
    const byHash = new Map(names.map((name) => [this.#hash(account, name), conversationKey(name)]))
    let parts: readonly KeptPart[] | null
    try {
      const order = { now: Date.now(), most: 2 * MOST_KEPT }
      parts = await this.#parts.keeper.find([...byHash.keys()], order)
    } catch (cause) {
      throw unreachable(cause)
    }
    if (parts === null) throw tooLarge()
    for (const part of parts) {
      const text = this.#open(part)
      const key = byHash.get(part.hash)
      if (text !== undefined && key !== undefined) texts.set(key, text)
    }
    return texts
  }

  #hash(account: string, { kind, id }: ConversationName): string {
    return this.#parts.hasher.hash(`conversation\0${account}\0${kind}\0${id}`)
  }

  #seal(hash: string, text: string): KeptPart {
    const nonce = randomBytes(NONCE_BYTES)
    const cipher = createCipheriv(CIPHER, this.#key, nonce)
    cipher.setAAD(Buffer.from(hash))
    const sealed = [nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]
    return { hash, sealed: new Uint8Array(Buffer.concat(sealed)) }
  }

  /** Undefined where it was changed, or sealed under another secret. */
  #open({ hash, sealed }: KeptPart): string | undefined {
    try {
      const decipher = createDecipheriv(CIPHER, this.#key, sealed.subarray(0, NONCE_BYTES))
      decipher.setAAD(Buffer.from(hash))
      decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
      const text = decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES))
      return Buffer.concat([text, decipher.final()]).toString("utf8")
    } catch {
      return undefined
    }
  }

  async #sweep(): Promise<void> {
    try {
      await this.#parts.keeper.sweep(Date.now())
    } catch (error) {
      this.#parts.failed("", error)
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }
}

function itemsOf(
  text: string | undefined,
  { kind }: ConversationName,
  form: ConversationForm,
): readonly JsonValue[] | undefined {
  if (text === undefined) return undefined
  if (kind === "item") return [JSON.parse(text) as JsonValue]
  const { body, before } = JSON.parse(text) as KeptAnswer
  return before === null ? undefined : [...before, ...(form.answer(body)?.items ?? [])]
}

function tooLarge(): GatewayError {
  return new GatewayError(
    "body_too_large",
    `The conversation that this request goes on from is larger than the ${MOST_KEPT / 1_048_576} MB that are kept of one. Send what is still needed of it.`,
  )
}

function unreachable(cause: unknown): GatewayError {
  return new GatewayError(
    "book_unavailable",
    "The gateway cannot read just now what it keeps of conversations. Try again shortly, or send the whole conversation.",
    { cause },
  )
}
