/** A request as received. */
export interface RawRequest {
  readonly method: string
  /** Path and query. */
  readonly path: string
  readonly headers: Headers
  readonly body: Buffer
}

const HEAD_END = "\r\n\r\n"

/** Reads the requests of one connection. Each request begins at the end of the previous request. */
export class RequestReader {
  #bytes = Buffer.of()

  push(bytes: Uint8Array): void {
    this.#bytes = Buffer.concat([this.#bytes, bytes])
  }

  /** Returns the next request; undefined until it is complete. */
  take(): RawRequest | undefined {
    const end = this.#bytes.indexOf(HEAD_END)
    if (end === -1) return undefined
    const [first = "", ...lines] = this.#bytes.toString("latin1", 0, end).split("\r\n")
    const headers = new Headers(
      lines.map((line): [string, string] => {
        const colon = line.indexOf(":")
        return [line.slice(0, colon), line.slice(colon + 1).trim()]
      }),
    )
    const from = end + HEAD_END.length
    const read = headers.has("transfer-encoding")
      ? chunkedBody(this.#bytes, from)
      : plainBody(this.#bytes, from, Number(headers.get("content-length") ?? 0))
    if (read === undefined) return undefined
    this.#bytes = this.#bytes.subarray(read.end)
    const [method = "", path = ""] = first.split(" ")
    return { method, path, headers, body: read.body }
  }
}

interface ReadBody {
  readonly body: Buffer
  readonly end: number
}

function plainBody(bytes: Buffer, from: number, length: number): ReadBody | undefined {
  const end = from + length
  return bytes.length < end ? undefined : { body: bytes.subarray(from, end), end }
}

function chunkedBody(bytes: Buffer, from: number): ReadBody | undefined {
  const parts: Buffer[] = []
  for (let at = from; ;) {
    const line = bytes.indexOf("\r\n", at)
    if (line === -1) return undefined
    const size = Number.parseInt(bytes.toString("latin1", at, line), 16)
    const start = line + 2
    const end = start + size + 2
    if (bytes.length < end) return undefined
    if (size === 0) return { body: Buffer.concat(parts), end }
    parts.push(bytes.subarray(start, start + size))
    at = end
  }
}
