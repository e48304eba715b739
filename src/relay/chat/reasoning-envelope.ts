import { createHmac, timingSafeEqual } from "node:crypto"
import type { ChatRequest } from "../../canon/chat.ts"
import { type DialectId, type Extra, extraOf, type Loss, ownFields } from "../../canon/extra.ts"
import { parseJsonObject } from "../../canon/json.ts"
import type { Message, Part, ReasoningPart } from "../../canon/message.ts"
import type { Writable } from "../../canon/writable.ts"

const PREFIX = "tg1:"
/** Bytes of the proof. It is too long to guess, and short enough to send with every chunk of reasoning. */
const PROOF_LENGTH = 16
/** Characters of the proof in base64. */
const PROOF_CHARACTERS = 22
const SEPARATOR = ":"
/** A character that does not occur in the escaped facts. */
const FACTS_SEPARATOR = "&"

/** A vendor's signature and the account that can read it. */
export interface SignedReasoning {
  /**
   * The vendor's signature; empty for reasoning of a vendor without signatures. The envelope still distinguishes such
   * reasoning from reasoning of the caller's own vendor.
   */
  readonly signature: string
  readonly signedBy: DialectId
  readonly isRedacted?: boolean
  readonly id?: string
  /** Further members, in the format of the dialect that signed the reasoning. */
  readonly extra?: Extra
}

/** The content of an opened envelope. */
interface OpenedEnvelope extends SignedReasoning {
  readonly provider: string
}

/**
 * Creates and opens envelopes. An envelope carries a vendor's signature unchanged through a client of any dialect and
 * back to that vendor. Its form is `tg1:<proof>:<dialect>:<provider>:<r or nothing>:<id>&<extra>:<signature>`. The
 * client treats it as a signature of its own dialect. The proof is an HMAC, so that only signatures from this gateway
 * are sent back to a vendor.
 */
export class ReasoningSigner {
  readonly #key: Buffer
  /** Opened envelopes by part, so that each envelope is opened only once for all planned deployments. */
  readonly #opened = new WeakMap<ReasoningPart, OpenedEnvelope | undefined>()

  /** @param secret the secret of this installation. */
  constructor(secret: string) {
    this.#key = createHmac("sha256", secret).update("reasoning envelope").digest()
  }

  /**
   * Returns an envelope.
   * @param provider the provider that wrote the reasoning, because another account may not be able to read its
   * signature.
   */
  sign(signed: SignedReasoning, provider: string): string {
    const { signature, signedBy, isRedacted } = signed
    const flag = isRedacted === true ? "r" : ""
    const rest = [signedBy, provider, flag, factsOf(signed), signature].join(SEPARATOR)
    return `${PREFIX}${this.#proof(rest).toString("base64url")}${SEPARATOR}${rest}`
  }

  /**
   * Opens an envelope.
   * @returns undefined if this gateway did not create it, or if it was changed.
   */
  open(text: string): OpenedEnvelope | undefined {
    const end = PREFIX.length + PROOF_CHARACTERS
    // A text without a separator after the proof is not an envelope, so it is not parsed.
    if (text[end] !== SEPARATOR) return undefined
    const given = Buffer.from(text.slice(PREFIX.length, end), "base64url")
    if (given.length !== PROOF_LENGTH) return undefined
    const rest = text.slice(end + 1)
    if (!timingSafeEqual(given, this.#proof(rest))) return undefined
    const { heads, tail: signature } = splitAt(rest, HEADS)
    const [signedBy = "", provider = "", flag = "", facts = ""] = heads
    const dialect = signedBy as DialectId
    const [id = "", extra = ""] = facts.split(FACTS_SEPARATOR).map(decodeURIComponent)
    const fields = parseJsonObject(extra)
    return {
      signedBy: dialect,
      provider,
      signature,
      ...(flag === "r" ? { isRedacted: true } : {}),
      ...(id !== "" && { id }),
      ...(fields !== undefined && { extra: extraOf(dialect, fields) }),
    }
  }

  openPart(part: SignedPart): OpenedEnvelope | undefined {
    if (!this.#opened.has(part)) this.#opened.set(part, this.open(part.signature))
    return this.#opened.get(part)
  }

  #proof(text: string): Buffer {
    return createHmac("sha256", this.#key).update(text).digest().subarray(0, PROOF_LENGTH)
  }
}

/** Number of members before the signature, which itself may contain separators. */
const HEADS = 4

/**
 * Splits a text at its first separators.
 * @param count number of separators.
 */
function splitAt(text: string, count: number): { readonly heads: string[]; readonly tail: string } {
  const heads: string[] = []
  let start = 0
  while (heads.length < count) {
    const end = text.indexOf(SEPARATOR, start)
    if (end === -1) break
    heads.push(text.slice(start, end))
    start = end + 1
  }
  return { heads, tail: text.slice(start) }
}

/** Encodes the id and the extra of signed reasoning. */
function factsOf({ id = "", extra, signedBy }: SignedReasoning): string {
  const fields = ownFields(signedBy, extra)
  const facts = fields === undefined ? [id] : [id, JSON.stringify(fields)]
  return facts.map(encodeURIComponent).join(FACTS_SEPARATOR)
}

/** Whether a conversation contains reasoning that a vendor of another dialect signed. */
export function carriesEnvelope(request: ChatRequest): boolean {
  return request.messages.some((message) => message.parts.some(isSigned))
}

type SignedPart = ReasoningPart & { readonly signature: string }

function isSigned(part: Part): part is SignedPart {
  return part.type === "reasoning" && part.signature?.startsWith(PREFIX) === true
}

const NOTHING: readonly Loss[] = []
const LOST: readonly Loss[] = [{ name: "reasoning.signature", effect: "dropped" }]

/**
 * Returns the conversation with opened envelopes. A signature that belongs to another provider, or that was changed in
 * transit, is dropped.
 */
export function openEnvelopes(
  request: ChatRequest,
  signer: ReasoningSigner,
  provider: string,
): { readonly messages: readonly Message[]; readonly lost: readonly Loss[] } {
  if (!carriesEnvelope(request)) return { messages: request.messages, lost: NOTHING }
  let lost = NOTHING
  const messages = request.messages.map((message) => {
    if (!message.parts.some(isSigned)) return message
    const parts = message.parts.flatMap((part) => {
      if (!isSigned(part)) return [part]
      const signed = signer.openPart(part)
      const opened = openPart(part, signed, provider)
      // If the reasoning never had a signature, nothing is lost.
      if (opened.signature === undefined && signed?.signature !== "") lost = LOST
      return opened.signature === undefined && opened.text === "" ? [] : [opened]
    })
    return { ...message, parts }
  })
  return { messages, lost }
}

function openPart(
  part: SignedPart,
  opened: OpenedEnvelope | undefined,
  provider: string,
): ReasoningPart {
  const {
    signature: _,
    signedBy: _by,
    isRedacted: _redacted,
    id: _id,
    extra: _extra,
    ...bare
  } = part
  if (opened?.provider !== provider || opened.signature === "") return bare
  const { provider: _provider, ...signed } = opened
  const whole: Writable<ReasoningPart> = { ...bare, ...signed }
  return whole
}
