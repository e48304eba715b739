import { GatewayError } from "../../canon/errors.ts"
import { MemoryShareUsed } from "../../limits/memory-budget.ts"
import type { FrameMemory } from "../../wire/frames.ts"

/** Maximum bytes of a response that does not count as memory, because the memory of its request is already reserved. */
export const SMALL_RESPONSE = 64 * 1024
/** Responses with more bytes are parsed one at a time, so that other requests are served between them. */
const HEAVY_RESPONSE = 512 * 1024
/** Number of copies of a whole response in memory: as received, as parsed, and as sent to the caller. */
const COPIES = 3
const MEBIBYTE = 1024 * 1024

/**
 * Error details for an unusable response that the request itself caused. Other deployments would respond in the same
 * way, so they are not tried, and no circuit opens.
 */
export const BILLED = { providerError: "generation", billedResponse: {} } as const

/** The limits of a whole response. */
export interface SizeReader {
  readonly provider: string
  /** Maximum bytes of a response after decompression. */
  readonly responseBytes: number
  readonly memory: FrameMemory
}

/** Tracks the received size of a response. It enforces the size limit and reserves memory. */
export class ResponseSize {
  readonly #reader: SizeReader
  #size = 0
  #taken = 0

  constructor(reader: SizeReader) {
    this.#reader = reader
  }

  get bytes(): number {
    return this.#size
  }

  get isSmall(): boolean {
    return this.#size <= SMALL_RESPONSE
  }

  /** Whether the response may take a long time to parse. */
  get isHeavy(): boolean {
    return this.#size > HEAVY_RESPONSE
  }

  count(bytes: number): void {
    this.#size += bytes
  }

  /**
   * Reserves memory for the response. If it is rejected, all memory of the response is released.
   * @param parsed memory in bytes that the parsed values take.
   * @returns the failure of a call whose response is too large, which its provider bills; undefined if it fits.
   * @throws GatewayError `overloaded`.
   */
  reserve(parsed = 0): GatewayError | undefined {
    if (this.#size > this.#reader.responseBytes) return tooLarge(this.#reader)
    const needed = COPIES * this.#size + parsed
    try {
      this.#reader.memory.takeResponse(needed - this.#taken)
    } catch (thrown) {
      this.release()
      return billedFor(thrown)
    }
    this.#taken = needed
    return undefined
  }

  /** Releases the memory of a response whose content is discarded, so that other responses fit. */
  release(): void {
    this.#reader.memory.give(this.#taken)
    this.#taken = 0
  }
}

/**
 * Returns the error for a response whose memory is rejected because of its size, or because of parallel requests of the
 * same caller. Its provider bills it.
 * @throws any other error.
 */
export function billedFor(thrown: unknown): GatewayError {
  if (!(thrown instanceof GatewayError)) throw thrown
  if (thrown.kind !== "upstream_error" && !(thrown instanceof MemoryShareUsed)) throw thrown
  const { retryAfter: _, ...details } = thrown.details
  return new GatewayError(thrown.kind, thrown.message, { ...details, ...BILLED })
}

function tooLarge({ provider, responseBytes }: SizeReader): GatewayError {
  return new GatewayError(
    "upstream_error",
    `Provider '${provider}' sent a response of more than ${Math.floor(responseBytes / MEBIBYTE)} MB, which was not read to its end. Request less output, or ask the operator to raise 'limits.response_mb'.`,
    BILLED,
  )
}

/** Returns the error for a text that is too long for encoders that write the whole text again in the last event. */
export function tooLong({ provider, responseBytes }: SizeReader): GatewayError {
  return new GatewayError(
    "upstream_error",
    `Provider '${provider}' sent more than ${Math.floor(responseBytes / MEBIBYTE)} MB of text. Only this part is charged. Request less output, or ask the operator to raise 'limits.response_mb'.`,
    BILLED,
  )
}
