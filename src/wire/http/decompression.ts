import { Readable, type Transform } from "node:stream"
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
  type ZstdOptions,
} from "node:zlib"
import { ProtocolError } from "./response-head.ts"

/** Maximum bytes that are decompressed in one step. Other work runs between the steps. */
const CHUNK = { chunkSize: 64 * 1024 }

/** Limits windows to 8 MB, since larger ones need not be supported (RFC 9659). The library would accept 128 MB. */
const SMALL_WINDOW: ZstdOptions = { ...CHUNK }
SMALL_WINDOW.params = { [constants.ZSTD_d_windowLogMax]: 23 }

/** Decompressors by encoding, for servers that compress without a request for it. */
const OPENERS: Readonly<Record<string, () => Transform>> = {
  gzip: () => createGunzip(CHUNK),
  "x-gzip": () => createGunzip(CHUNK),
  deflate: () => createInflate(CHUNK),
  br: () => createBrotliDecompress(CHUNK),
  zstd: () => createZstdDecompress(SMALL_WINDOW),
}

/**
 * Decompresses a body in small steps while it is read. If the reader stops at a limit, no more work is done. Ending the
 * iteration early closes the connection, even before the first chunk.
 * @param encoding the value of the `content-encoding` header, if it is present.
 * @throws ProtocolError if the encoding was not requested and is not supported.
 */
export function decompressed(
  body: AsyncIterableIterator<Uint8Array>,
  encoding: string | null,
): AsyncIterableIterator<Uint8Array> {
  const name = encoding?.trim().toLowerCase() ?? ""
  if (name === "" || name === "identity") return body
  const open = Object.hasOwn(OPENERS, name) ? OPENERS[name] : undefined
  if (open === undefined) {
    throw new ProtocolError("the response is compressed with an unrequested method")
  }
  const opened = openedChunks(body, open)
  return {
    next: () => opened.next(),
    async return() {
      await body.return?.()
      return opened.return(undefined)
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

async function* openedChunks(
  body: AsyncIterableIterator<Uint8Array>,
  open: () => Transform,
): AsyncGenerator<Uint8Array, undefined> {
  const first = await body.next()
  // An empty body needs no decompression.
  if (first.done) return
  const source = Readable.from(resumed(first.value, body))
  const opener = open()
  // Without this handler, the reader would wait forever if the source fails.
  source.on("error", (error) => opener.destroy(error))
  try {
    yield* source.pipe(opener)
  } finally {
    source.destroy()
    opener.destroy()
  }
}

async function* resumed(
  first: Uint8Array,
  rest: AsyncIterableIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield first
  yield* rest
}
