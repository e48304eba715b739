import { GatewayError } from "../canon/errors.ts"
import type { Reservation } from "../limits/memory-budget.ts"
import { decompressed } from "../wire/http/decompression.ts"

const MEBIBYTE = 1024 * 1024
/** Memory that unpacking takes at most, besides its result: the window, and a chunk. Bytes. */
const WINDOWS: Readonly<Record<string, number>> = {
  gzip: 128 * 1024,
  "x-gzip": 128 * 1024,
  deflate: 128 * 1024,
  br: 17 * MEBIBYTE,
  zstd: 9 * MEBIBYTE,
}
const ACCEPTED = "gzip, deflate, br, zstd"

/**
 * How a body is compressed; undefined when it is not.
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

/** @throws GatewayError `unsupported_media_type`, of a form that is compressed: its limits are those of its files. */
export function refuseEncoding(headers: Headers): void {
  const header = headers.get("content-encoding")
  if (header === null || /^(identity)?$/i.test(header.trim())) return
  throw unsupported(header, "identity")
}

/**
 * The chunks of a compressed body, unpacked no faster than they are read: a reader that stops at a limit has not unpacked more.
 * @throws GatewayError `invalid_value` when it cannot be unpacked; what the chunks throw.
 */
export async function* unpackedChunks(
  chunks: AsyncGenerator<Uint8Array, undefined>,
  encoding: string,
  memory: Reservation | undefined,
): AsyncGenerator<Uint8Array, undefined> {
  const window = WINDOWS[encoding] ?? 0
  memory?.takeBody(window)
  try {
    yield* decompressed(chunks, encoding)
  } catch (error) {
    if (error instanceof GatewayError) throw error
    throw new GatewayError(
      "invalid_value",
      `The body cannot be unpacked: it is not what 'content-encoding: ${encoding}' says, or it ended before it was whole.`,
      { parameter: "content-encoding", cause: error },
    )
  } finally {
    memory?.give(window)
  }
}

function unsupported(header: string, accepted: string): GatewayError {
  return new GatewayError(
    "unsupported_media_type",
    `A body here cannot be compressed as '${header.slice(0, 100)}'. What can be read: ${accepted}.`,
    { headers: { "accept-encoding": accepted } },
  )
}
