import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { ProtocolError, type ResponseHead } from "../../../src/wire/http/response-head.ts"
import { ResponseParser } from "../../../src/wire/http/response-parser.ts"

/** The events that the listener of one response has received. */
interface Heard {
  head: ResponseHead | undefined
  body: string
  isKept: boolean | undefined
  failure: unknown
}

/** Reads the chunks of a connection. If `isClosed`, the connection is closed after the last chunk. */
function read(chunks: readonly Uint8Array[], isClosed = false): Heard {
  const heard: Heard = { head: undefined, body: "", isKept: undefined, failure: undefined }
  const parser = new ResponseParser({
    onHead: (head) => void (heard.head = head),
    onChunk: (bytes) => void (heard.body += Buffer.from(bytes).toString("latin1")),
    onEnd: (isKept) => void (heard.isKept = isKept),
  })
  try {
    for (const chunk of chunks) parser.push(Buffer.from(chunk))
    if (isClosed && heard.isKept === undefined) parser.close()
  } catch (error) {
    heard.failure = error
  }
  return heard
}

const bytesOf = (text: string): Uint8Array => Buffer.from(text, "latin1")

const CHUNKED = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
const LENGTH = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"

/** Responses with a defined end: the status, the body, and whether their connection can be reused. */
const GOOD: readonly [string, string, number, string, boolean][] = [
  ["a length", `${LENGTH}hello`, 200, "hello", true],
  ["no body at all", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 200, "", true],
  ["a status without a reason", "HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok", 200, "ok", true],
  [
    "chunks",
    `${CHUNKED}5\r\nhello\r\n1\r\n \r\nA\r\n0123456789\r\n0\r\n\r\n`,
    200,
    "hello 0123456789",
    true,
  ],
  ["chunks with extensions", `${CHUNKED}5;a=b\r\nhello\r\n0;end\r\n\r\n`, 200, "hello", true],
  [
    "chunks with a trailer",
    `${CHUNKED}5\r\nhello\r\n0\r\nDigest: x\r\nContent-Length: 9\r\n\r\n`,
    200,
    "hello",
    true,
  ],
  [
    "a chunk that looks like an end",
    `${CHUNKED}7\r\n\r\n0\r\n\r\n\r\n0\r\n\r\n`,
    200,
    "\r\n0\r\n\r\n",
    true,
  ],
  ["no content", "HTTP/1.1 204 No Content\r\n\r\n", 204, "", true],
  [
    "informational responses before it",
    `HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n${LENGTH}hello`,
    200,
    "hello",
    true,
  ],
  [
    "a server that closes",
    "HTTP/1.1 500 No\r\nConnection: Close\r\nContent-Length: 2\r\n\r\nno",
    500,
    "no",
    false,
  ],
  ["an old server", "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", 200, "ok", false],
  [
    "two contradictory ends",
    "HTTP/1.1 200 OK\r\nContent-Length: 99\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
    200,
    "ok",
    false,
  ],
  [
    "a coding hidden by a space",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding : chunked\r\nContent-Length: 2\r\n\r\nok",
    200,
    "ok",
    false,
  ],
  [
    "a coding behind a bare line feed",
    "HTTP/1.1 200 OK\r\nX: y\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\nok",
    200,
    "ok",
    false,
  ],
  [
    "a coding behind a bare return",
    "HTTP/1.1 200 OK\r\nX: y\rTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\nok",
    200,
    "ok",
    false,
  ],
  [
    "a header in two lines",
    "HTTP/1.1 200 OK\r\nX: y\r\n Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\nok",
    200,
    "ok",
    false,
  ],
  [
    "an invalid header line",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding\r\nContent-Length: 2\r\n\r\nok",
    200,
    "ok",
    false,
  ],
  [
    "a header without a name",
    "HTTP/1.1 200 OK\r\n: chunked\r\nContent-Length: 2\r\n\r\nok",
    200,
    "ok",
    false,
  ],
  [
    "no content, and a length",
    "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n",
    204,
    "",
    false,
  ],
]

describe("the response parser", () => {
  test.each(GOOD)("reads the head and the body of a response with %s", (...row) => {
    const [, text, status, body, isKept] = row
    const heard = read([bytesOf(text)])
    expect(heard).toMatchObject({ body, isKept, failure: undefined })
    expect(heard.head?.status).toBe(status)
  })

  test.each(GOOD)("returns the same result for any split of a response with %s", (_, text) => {
    const bytes = bytesOf(text)
    const whole = read([bytes])
    expect(read([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(whole)
    const cuts = fc.uniqueArray(fc.integer({ min: 0, max: bytes.length }), { maxLength: 8 })
    fc.assert(
      fc.property(cuts, (places) => {
        const ends = [...places.toSorted((left, right) => left - right), bytes.length]
        const chunks = ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end))
        expect(read(chunks)).toEqual(whole)
      }),
      { numRuns: 50 },
    )
  })

  test.each(GOOD)(
    "closes the connection if trailing bytes follow a response with %s",
    (_, text, _status, body) => {
      expect(read([bytesOf(`${text}HTTP/1.1 200 OK\r\n`)])).toMatchObject({
        body,
        isKept: false,
        failure: undefined,
      })
    },
  )

  test.each(GOOD)("rejects a response with %s if the connection closes too early", (_, text) => {
    for (let end = 0; end < text.length; end++) {
      const heard = read([bytesOf(text.slice(0, end))], true)
      expect(heard.failure).toBeInstanceOf(ProtocolError)
      expect(heard.isKept).toBeUndefined()
    }
  })

  test("ends a response without a length when its connection ends", () => {
    const text = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nall of it"
    expect(read([bytesOf(text)])).toMatchObject({ body: "all of it", isKept: undefined })
    expect(read([bytesOf(text)], true)).toMatchObject({
      body: "all of it",
      isKept: false,
      failure: undefined,
    })
  })
})

describe("the response parser on an ambiguous response", () => {
  test.each([
    ["text other than HTTP", "SSH-2.0-OpenSSH\r\n\r\n"],
    ["HTTP/2", "HTTP/2 200\r\n\r\n"],
    ["a status of two digits", "HTTP/1.1 20 OK\r\n\r\n"],
    ["another protocol", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n"],
    ["two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello"],
    ["a list of lengths", "HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\n\r\nhello"],
    ["a length with a sign", "HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\nhello"],
    ["a negative length", "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello"],
    ["a length in words", "HTTP/1.1 200 OK\r\nContent-Length: five\r\n\r\nhello"],
    ["an empty length", "HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\nhello"],
    ["an unknown coding", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n"],
    [
      "two codings",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n",
    ],
    ["a chunk's extension over two lines", `${CHUNKED}5;\nhello\r\nhello\r\n0\r\n\r\n`],
    ["a chunk without a size", `${CHUNKED}\r\nhello\r\n`],
    ["a chunk with a size in words", `${CHUNKED}five\r\nhello\r\n`],
    ["a chunk with a sign", `${CHUNKED}-5\r\nhello\r\n`],
    ["a chunk with 0x", `${CHUNKED}0x5\r\nhello\r\n`],
    ["a chunk with a size of more than the body", `${CHUNKED}ffffffffffffffff\r\nhello\r\n`],
    ["a chunk longer than its declared size", `${CHUNKED}4\r\nhello\r\n0\r\n\r\n`],
    ["a head without an end", `HTTP/1.1 200 OK\r\nX: ${"a".repeat(70_000)}`],
    ["a size without an end", `${CHUNKED}5;${"a".repeat(5_000)}`],
    ["hints without an end", "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n".repeat(2_000)],
    ["a trailer without an end", `${CHUNKED}0\r\n${"a: b\r\n".repeat(5_000)}`],
  ])("rejects %s", (_, text) => {
    expect(read([bytesOf(text)]).failure).toBeInstanceOf(ProtocolError)
    // The response must fail byte by byte as well.
    expect(read([...bytesOf(text)].map((byte) => Uint8Array.of(byte))).failure).toBeInstanceOf(
      ProtocolError,
    )
  })
})

test("response headers are found only by their exact names, with all values of the same name", () => {
  const lines = [
    "Content-Length: 0",
    "X-Note: content-type: text/html",
    "Retry-After:  7 ",
    "SET-COOKIE: a",
    "set-cookie: b",
    "No Name: c",
    ": d",
  ]
  const { head } = read([bytesOf(`HTTP/1.1 429 Slow\r\n${lines.join("\r\n")}\r\n\r\n`)])
  expect(head?.get("retry-after")).toBe("7")
  expect(head?.get("content-type")).toBeNull()
  expect(head?.get("set-cookie")).toBe("a, b")
})

describe("short chunks of a response", () => {
  /** Returns the pieces that the parser passes on for a body received in one read. */
  function piecesOf(chunks: readonly string[], extension = ""): string[] {
    const lines = chunks.map((text) => `${text.length.toString(16)}${extension}\r\n${text}\r\n`)
    const pieces: string[] = []
    const parser = new ResponseParser({
      onHead: () => undefined,
      onChunk: (bytes) => void pieces.push(Buffer.from(bytes).toString("latin1")),
      onEnd: () => void pieces.push("end"),
    })
    parser.push(Buffer.from(`${CHUNKED}${lines.join("")}0\r\n\r\n`, "latin1"))
    return pieces
  }

  test("arrive together if they were sent together", () => {
    const letters = Array.from({ length: 87_000 }, (_, index) =>
      String.fromCharCode(97 + (index % 26)),
    )
    expect(piecesOf(letters)).toEqual([letters.join(""), "end"])
    expect(piecesOf(letters, ";a=b")).toEqual([letters.join(""), "end"])
  })

  test("follow a preceding long chunk, and no long chunk is copied", () => {
    const long = "x".repeat(4_096)
    expect(piecesOf([long, "a", "b", long, long, "c"])).toEqual([
      `${long}ab`,
      long,
      `${long}c`,
      "end",
    ])
  })

  test("arrive before an invalid chunk is reported", () => {
    const result = read([bytesOf(`${CHUNKED}1\r\na\r\n1\r\nb\r\nz\r\n`)])
    expect(result).toMatchObject({ body: "ab", failure: expect.any(ProtocolError) })
  })
})

describe("the memory of forwarded response chunks", () => {
  /** Returns the bytes of data, and of all buffers that keep it, for a body received in reads of 512 KB. */
  function keptBytes(head: string, read: string): { data: number; buffers: number } {
    const buffers = new Set<ArrayBufferLike>()
    let data = 0
    const parser = new ResponseParser({
      onHead: () => undefined,
      onChunk(bytes) {
        data += bytes.byteLength
        buffers.add(bytes.buffer)
      },
      onEnd: () => undefined,
    })
    parser.push(Buffer.from(head, "latin1"))
    for (let count = 0; count < 20; count++) {
      const bytes = Buffer.allocUnsafeSlow(read.length)
      bytes.write(read, "latin1")
      parser.push(bytes)
    }
    return { data, buffers: [...buffers].reduce((sum, { byteLength }) => sum + byteLength, 0) }
  }

  test("equals the size of their data even if chunk extensions fill most of the bytes that were read", () => {
    const chunk = `1;${"a".repeat(3_900)}\r\nx\r\n`
    const { data, buffers } = keptBytes(CHUNKED, chunk.repeat(134))
    expect(data).toBe(20 * 134)
    expect(buffers).toBe(data)
  })

  test("stays below twice the size of their data", () => {
    for (const extension of [0, 100, 1_000, 3_000]) {
      const chunk = `400;${"a".repeat(extension)}\r\n${"x".repeat(1_024)}\r\n`
      const { data, buffers } = keptBytes(CHUNKED, chunk.repeat(100))
      expect(buffers).toBeLessThanOrEqual(2 * data)
    }
  })

  test("requires no copy if most of the bytes that were read are data", () => {
    const chunk = `1000\r\n${"x".repeat(4_096)}\r\n`
    const { buffers } = keptBytes(CHUNKED, chunk.repeat(10))
    expect(buffers).toBe(20 * chunk.length * 10)
  })
})
