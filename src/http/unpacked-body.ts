import { GatewayError } from "../canon/errors.ts"
import type { Reservation } from "../limits/memory-budget.ts"
import { decompressed } from "../wire/http/decompression.ts"

const MEBIBYTE = 1024 * 1024
/** Maximum memory in bytes for decompression, excluding its result. It consists of the window and a chunk. */
const WINDOWS: Readonly<Record<string, number>> = {
  gzip: 128 * 1024,
  "x-gzip": 128 * 1024,
  deflate: 128 * 1024,
  br: 17 * MEBIBYTE,
  zstd: 9 * MEBIBYTE,
}
/**
 * Maximum ratio of decompressed to compressed size. A small amount is always allowed. JSON of real requests has ratios
 * up to 30.
 */
const MAX_RATIO = 100
const FREE_BYTES = MEBIBYTE
const ACCEPTED = "gzip, deflate, br, zstd"

/**
 * Returns the compression of a body; undefined if it is not compressed.
 * @throws GatewayError `unsupported_media_type`
 */
export function encodingOf(headers: Headers): string | undefined {
  const header = headers.get("content-encoding")
  if (header === null) return undefined
  const name = header.trim().toLowerCase()
  if (name === "" || name === "identity") return undefined
  if (Object.hasOwn(WINDOWS, name)) return name
  throw unsupported(header, ACCEPTED)
}

/**
 * Rejects compressed forms, because the limits apply to the files in the form.
 * @throws GatewayError `unsupported_media_type`
 */
export function rejectEncoding(headers: Headers): void {
  const header = headers.get("content-encoding")
  if (header === null || /^(identity)?$/i.test(header.trim())) return
  throw unsupported(header, "identity")
}

/**
 * Decompresses the chunks of a body on demand, so that nothing beyond the reader's limit is decompressed.
 * @throws GatewayError `invalid_value` for invalid data; errors thrown while the chunks are read.
 */
export async function* unpackedChunks(
  chunks: AsyncGenerator<Uint8Array, undefined>,
  encoding: string,
  memory: Reservation | undefined,
): AsyncGenerator<Uint8Array, undefined> {
  const window = WINDOWS[encoding] ?? 0
  memory?.takeBody(window)
  const packed = new CountedChunks(chunks)
  let bytes = 0
  try {
    for await (const chunk of decompressed(packed.chunks(), encoding)) {
      bytes += chunk.byteLength
      if (bytes > FREE_BYTES && bytes > MAX_RATIO * packed.bytes) throw tooDense()
      yield chunk
    }
  } catch (error) {
    if (error instanceof GatewayError) throw error
    throw new GatewayError(
      "invalid_value",
      `The body cannot be decompressed: it does not match 'content-encoding: ${encoding}', or it is incomplete.`,
      { parameter: "content-encoding", cause: error },
    )
  } finally {
    memory?.give(window)
  }
}

/** Counts the bytes of a body as they are received. */
class CountedChunks {
  bytes = 0
  readonly #chunks: AsyncGenerator<Uint8Array, undefined>

  constructor(chunks: AsyncGenerator<Uint8Array, undefined>) {
    this.#chunks = chunks
  }

  async *chunks(): AsyncGenerator<Uint8Array, undefined> {
    for await (const chunk of this.#chunks) {
      this.bytes += chunk.byteLength
      yield chunk
    }
  }
}

function tooDense(): GatewayError {
  return new GatewayError(
    "body_too_large",
    `The body decompresses to more than ${MAX_RATIO} times its size. Send it uncompressed.`,
    { parameter: "content-encoding" },
  )
}

function unsupported(header: string, accepted: string): GatewayError {
  return new GatewayError(
    "unsupported_media_type",
    `The content encoding '${header.slice(0, 100)}' is not supported here. Supported: ${accepted}.`,
    { headers: { "accept-encoding": accepted } },
  )
}
