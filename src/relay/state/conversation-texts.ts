import { MAX_NUMBERED_MEMBERS, MAX_VALUES } from "#contract/request-limits.ts"
import { conversationKey, type ConversationName } from "../../canon/conversation.ts"
import { GatewayError } from "../../canon/errors.ts"
import { type JsonValue, parseExactly } from "../../canon/json.ts"
import { JsonScanner } from "../../canon/json-structure.ts"
import { ownTurn } from "../../canon/next-turn.ts"
import { waitAtMost } from "../../canon/wait-at-most.ts"
import { parseInSlices, SLICE_BYTES } from "../../canon/sliced-json.ts"
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
import { ConversationCipher } from "./conversation-cipher.ts"

const SWEEP_INTERVAL_MS = 600_000
/** Maximum bytes of a stored response with its history. Longer ones are not stored. */
export const MAX_KEPT = 32 * 1024 * 1024
/** Maximum bytes that are read before memory is reserved. */
const SMALL = 32 * 1024
/** Number of copies of read data in memory: encrypted, as text and parsed. */
const COPIES_READ = 3
/**
 * Maximum milliseconds for which a response waits until it is written. Other processes can only find it after the
 * write.
 */
const WRITE_TIMEOUT_MS = 50
/**
 * Minimum characters of a text that is scanned. A shorter text cannot exceed the maximum number of values of a body.
 */
const MIN_SCANNED_BYTES = 100_000

/** The store of conversations. */
export interface ConversationKeeper {
  keep(record: ConversationRecord, room: ConversationRoom): Promise<void>
  find(hashes: readonly string[], input: FindOptions): Promise<FoundParts>
  delete(hash: string): Promise<boolean>
  sweep(now: number, keep: number): Promise<void>
}

/** The dependencies of stored conversations. */
export interface ConversationParts {
  readonly keeper: ConversationKeeper
  readonly hasher: KeyHasher
  readonly secret: string
  readonly settings: () => ConversationSettings
  /**
   * Called with failures to store or delete.
   * @param request id of the request; empty if no request caused the failure.
   */
  readonly failed: (request: string, error: unknown) => void
}

/**
 * The texts of conversations in the store. They are encrypted, are found by hashes that include the account, and are
 * removed by sweeps.
 */
export class ConversationTexts implements Disposable {
  readonly #parts: ConversationParts
  readonly #cipher: ConversationCipher
  readonly #timer: Timer

  constructor(parts: ConversationParts) {
    this.#parts = parts
    this.#cipher = new ConversationCipher(parts.secret)
    this.#timer = setInterval(() => void this.#sweep(), SWEEP_INTERVAL_MS)
    this.#timer.unref()
    void this.#sweep()
  }

  get isOn(): boolean {
    return this.#parts.settings().keep > 0
  }

  /** Returns the hash under which a text of an account is stored. */
  hash(account: string, { kind, id }: ConversationName): string {
    return this.#parts.hasher.hash(`conversation\0${account}\0${kind}\0${id}`)
  }

  /**
   * Writes the texts of a response. Returns when they are written, or after a timeout. The texts are in memory until
   * they are written, so that a slow disk or a locked file does not delay a response.
   * @param request id of the request.
   */
  async write(
    request: string,
    account: string,
    texts: readonly (readonly [ConversationName, Uint8Array])[],
  ): Promise<void> {
    const { keeper, settings, failed } = this.#parts
    const { accountBytes, totalBytes, keep } = settings()
    const parts: KeptPart[] = []
    for (const [name, text] of texts) {
      parts.push(await this.#cipher.encrypt(this.hash(account, name), text))
    }
    const at = Date.now()
    const written = keeper
      .keep({ account, at, expiresAt: at + keep, parts }, { accountBytes, totalBytes })
      .catch((error: unknown) => failed(request, error))
    await waitAtMost(written, WRITE_TIMEOUT_MS)
  }

  /**
   * Returns the texts that exist, by `conversationKey`.
   * @param memory the memory in which space for the texts is reserved before they are read.
   * @throws GatewayError `ledger_unavailable`, `overloaded`, `body_too_large`.
   */
  async find(
    account: string,
    names: readonly ConversationName[],
    memory: Reservation,
  ): Promise<ReadonlyMap<string, Buffer>> {
    const texts = new Map<string, Buffer>()
    if (!this.isOn) return texts
    const byHash = new Map(names.map((name) => [this.hash(account, name), conversationKey(name)]))
    const scanner = new JsonScanner()
    for (const part of await this.#read([...byHash.keys()], memory)) {
      const key = byHash.get(part.hash)
      if (part.encrypted.byteLength > SMALL) await ownTurn()
      const text = await this.#cipher.decrypt(part)
      if (text === undefined || key === undefined) continue
      await scan(text, scanner)
      const excess = excessOf(scanner)
      if (excess !== undefined) throw tooMany(excess)
      texts.set(key, text)
    }
    memory.takeBody(scanner.bytes)
    return texts
  }

  /** Whether a text exists, without reading it. @throws GatewayError `ledger_unavailable`. */
  async has(account: string, name: ConversationName): Promise<boolean> {
    if (!this.isOn) return false
    const found = await this.#load([this.hash(account, name)], 0)
    return typeof found === "number" ? found > 0 : found.length > 0
  }

  /** Deletes a response with its items. @returns whether it existed. @throws GatewayError `ledger_unavailable`. */
  async delete(account: string, name: ConversationName): Promise<boolean> {
    try {
      return await this.#parts.keeper.delete(this.hash(account, name))
    } catch (cause) {
      throw unreachable(cause)
    }
  }

  /**
   * Reports a failure to store a response.
   * @param request id of the request.
   */
  failed(request: string, error: unknown): void {
    this.#parts.failed(request, error)
  }

  /** Reads the encrypted parts. Memory for them is reserved before they are read. */
  async #read(hashes: readonly string[], memory: Reservation): Promise<readonly KeptPart[]> {
    const small = await this.#load(hashes, SMALL)
    if (typeof small !== "number") return small
    if (small > 2 * MAX_KEPT) throw tooLarge()
    memory.takeBody(small * COPIES_READ)
    const large = await this.#load(hashes, small)
    // The parts can only be larger if a part was stored since their size was read.
    if (typeof large === "number") throw unreachable(undefined)
    return large
  }

  async #load(hashes: readonly string[], max: number): Promise<FoundParts> {
    const { keeper, settings, failed } = this.#parts
    try {
      return await keeper.find(hashes, { now: Date.now(), keep: settings().keep, max })
    } catch (cause) {
      failed("", cause)
      throw unreachable(cause)
    }
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

/** Whether a text has no more values than may be read from a conversation. */
export async function isReadable(text: Buffer): Promise<boolean> {
  if (text.byteLength < MIN_SCANNED_BYTES) return true
  const scanner = new JsonScanner()
  await scan(text, scanner)
  return excessOf(scanner) === undefined
}

/** Scans a text in slices. It stops when the text has more values than a body may have. */
async function scan(text: Buffer, scanner: JsonScanner): Promise<void> {
  for (let start = 0; start < text.byteLength; start += SLICE_BYTES) {
    if (start > 0) await ownTurn()
    scanner.push(text.subarray(start, start + SLICE_BYTES))
    if (excessOf(scanner) !== undefined) return
  }
}

/** Returns the limit of a body that is exceeded; undefined if no limit is exceeded. */
function excessOf({ count, numbered }: JsonScanner): string | undefined {
  if (count > MAX_VALUES) return `${MAX_VALUES.toLocaleString("en-US")} values`
  if (numbered <= MAX_NUMBERED_MEMBERS) return undefined
  return `${MAX_NUMBERED_MEMBERS.toLocaleString("en-US")} members whose names begin with a digit`
}

/** Parses a stored text, in slices if it is long. */
export async function parseText(text: Buffer): Promise<JsonValue> {
  return text.byteLength > SMALL ? parseInSlices(text) : parseExactly(text.toString("utf8"))
}

function tooMany(excess: string): GatewayError {
  return new GatewayError(
    "body_too_large",
    `The stored conversation has more than ${excess}. Send the part of it that is still needed.`,
  )
}

/** Returns the error for a continued conversation that exceeds the maximum length. */
export function tooLarge(): GatewayError {
  return new GatewayError(
    "body_too_large",
    `The stored conversation is larger than ${MAX_KEPT / 1_048_576} MB. Send the part of it that is still needed.`,
  )
}

function unreachable(cause: unknown): GatewayError {
  return new GatewayError(
    "ledger_unavailable",
    "The gateway cannot read stored conversations at the moment. Try again shortly, or send the whole conversation.",
    { cause },
  )
}
