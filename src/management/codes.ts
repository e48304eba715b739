import type { Code, CodeWithText, NewCode, NewCodes } from "#contract/codes.ts"
import type { Page } from "#contract/common.ts"
import { GatewayError } from "../canon/errors.ts"
import { newCodeText } from "../keys/code-text.ts"
import { randomText } from "../canon/random-text.ts"
import { hintOf, type KeyHasher } from "../keys/secret.ts"
import { formatCredits, parseCredits } from "../ledger/money.ts"
import type { CodeRecord, NewCode as NewCodeRecord } from "../store/codes.ts"
import type { Store } from "../store/store.ts"
import { type Actor, requireOperator } from "./actor.ts"
import type { Audit } from "./audit.ts"
import { pageFrom, type PageQuery, positionOf } from "./cursor.ts"
import { expiryOf } from "./expiry.ts"
import { momentOrNull, momentText } from "./moment-text.ts"

interface NewCodeParts {
  readonly code: NewCodeRecord
  /** The code itself. */
  readonly text: string
}

/** Manages codes that add credits. Operators create and revoke them; `Credits` redeems them. */
export class Codes {
  readonly #store: Store
  readonly #audit: Audit
  readonly #hasher: KeyHasher

  constructor(store: Store, audit: Audit, hasher: KeyHasher) {
    this.#store = store
    this.#audit = audit
    this.#hasher = hasher
  }

  /** Lists all codes, newest first. @throws GatewayError `forbidden`. */
  async list(actor: Actor, input: PageQuery): Promise<Page<Code>> {
    requireOperator(actor)
    const [after = null] = positionOf(input.cursor) ?? []
    const found = await this.#store.codes.list(
      after === null ? null : String(after),
      input.limit + 1,
    )
    const page = pageFrom(found, input.limit, (code) => [code.id])
    const now = Date.now()
    return { ...page, data: await this.#documents(page.data, now) }
  }

  /**
   * Creates a code. The text of the code is only in this response.
   * @throws GatewayError `forbidden`, `invalid_value`.
   */
  async create(actor: Actor, input: NewCode): Promise<CodeWithText> {
    requireOperator(actor)
    const now = Date.now()
    const { code, text } = await this.#newCode(actor, input, now)
    const after = codeDocument({ ...code, used: 0, revokedAt: null }, now)
    const change = { action: "code.create", target: code.id, after }
    const record = await this.#audit.perform(actor, change, (record) =>
      this.#store.codes.create(code, record),
    )
    return { ...codeDocument(record, now), author: actor.name, code: text }
  }

  /**
   * Creates several codes in one transaction, with one audit record. @throws GatewayError `forbidden`, `invalid_value`.
   */
  async createBatch(
    actor: Actor,
    { count, ...input }: NewCodes,
  ): Promise<{ readonly object: "list"; readonly data: readonly CodeWithText[] }> {
    requireOperator(actor)
    const now = Date.now()
    const made: NewCodeParts[] = []
    while (made.length < count) made.push(await this.#newCode(actor, input, now))
    const after = {
      credits: input.credits,
      uses: input.uses,
      note: input.note ?? null,
      codes: made.map(({ code }) => code.id),
    }
    const records = await this.#audit.perform(
      actor,
      { action: "code.create_batch", after },
      (record) =>
        this.#store.codes.createAll(
          made.map(({ code }) => code),
          record,
        ),
    )
    const texts = new Map(made.map(({ code, text }) => [code.id, text]))
    return {
      object: "list",
      data: records.map((record) => ({
        ...codeDocument(record, now),
        author: actor.name,
        code: texts.get(record.id) ?? "",
      })),
    }
  }

  async #newCode(actor: Actor, input: NewCode, now: number): Promise<NewCodeParts> {
    const text = newCodeText()
    return {
      text,
      code: {
        id: `code_${randomText(16)}`,
        hash: this.#hasher.hash(text),
        hint: hintOf(text),
        note: input.note ?? null,
        amount: parseCredits(input.credits),
        uses: input.uses,
        createdAt: now,
        expiresAt: expiryOf(input.expires_at ?? null, now),
        author: await this.#audit.names.authorOf(actor),
      },
    }
  }

  /**
   * Revokes a code permanently. Credits that were redeemed with it remain. Revoking it again has no effect.
   * @throws GatewayError `forbidden`, `not_found`.
   */
  async revoke(actor: Actor, id: string): Promise<Code> {
    requireOperator(actor)
    const now = Date.now()
    const before = await this.#store.codes.find(id)
    if (!before) throw new GatewayError("not_found", `There is no code '${id.slice(0, 100)}'.`)
    if (before.revokedAt !== null) return this.#document(before, now)
    const change = {
      action: "code.revoke",
      target: id,
      before: codeDocument(before, now),
      after: codeDocument({ ...before, revokedAt: now }, now),
    }
    const revoked = await this.#audit.perform(actor, change, (record) =>
      this.#store.codes.revoke(id, now, record),
    )
    return this.#document(revoked, now)
  }

  async #document(code: CodeRecord, now: number): Promise<Code> {
    const [document = codeDocument(code, now)] = await this.#documents([code], now)
    return document
  }

  async #documents(codes: readonly CodeRecord[], now: number): Promise<Code[]> {
    const authors = await this.#audit.names.decrypt(codes.map(({ author }) => author))
    return codes.map((code, index) => ({
      ...codeDocument(code, now),
      author: authors[index] ?? null,
    }))
  }
}

function codeDocument(code: CodeRecord, now: number): Code {
  return {
    id: code.id,
    hint: code.hint,
    note: code.note,
    credits: formatCredits(code.amount),
    uses: code.uses,
    used: code.used,
    status: statusOf(code, now),
    created_at: momentText(code.createdAt),
    expires_at: momentOrNull(code.expiresAt),
    author: code.author,
  }
}

function statusOf(code: CodeRecord, now: number): Code["status"] {
  if (code.revokedAt !== null) return "revoked"
  if (code.used >= code.uses) return "used_up"
  return code.expiresAt !== null && code.expiresAt <= now ? "expired" : "active"
}
