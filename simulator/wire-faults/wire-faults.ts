import { gzipSync } from "node:zlib"
import { CONTENTS } from "./content-faults.ts"
import { endless, instead, packed, type Step, type WireFault } from "./fault.ts"
import {
  chunk,
  framesOf,
  headOf,
  LAST_CHUNK,
  type SoundResponse,
  wholeOf,
} from "./sound-response.ts"

const FOREVER = { wait: Number.POSITIVE_INFINITY }
/** Wait between two writes that must not be merged, in milliseconds. */
const APART = { wait: 1 }
/** Maximum number of bytes that are sent one by one. */
const SINGLE_BYTES = 3_000
const REJECTION = JSON.stringify({ error: { message: "It does not work.", type: "server_error" } })

/** Returns the first half of the frames. */
function half(response: SoundResponse): Buffer[] {
  const frames = framesOf(response)
  if (!response.isStreamed) return [response.body.subarray(0, Math.ceil(response.body.length / 2))]
  return frames.slice(0, Math.ceil(frames.length / 2)).map((frame) => chunk(frame))
}

/** Returns the head and the first frame of a stream. If the response is not streamed, returns the head and one byte. */
function beginning(response: SoundResponse): Step[] {
  const [first = Buffer.of()] = framesOf(response)
  return response.isStreamed
    ? [headOf(response), chunk(first)]
    : [headOf(response), response.body.subarray(0, 1)]
}

const STATUSES: readonly WireFault[] = [
  ["429, wait a second", 429, { "retry-after": "1" }],
  ["429, wait an hour", 429, { "retry-after": "3600" }],
  ["429", 429, {}],
  ["429, a wait that is none", 429, { "retry-after": "soon" }],
  ["500", 500, {}],
  ["502", 502, {}],
  ["503", 503, {}],
  ["503, wait a second", 503, { "retry-after": "1" }],
  ["529", 529, {}],
  ["401", 401, {}],
  ["402", 402, {}],
  ["403", 403, {}],
  ["404", 404, {}],
  ["302", 302, { location: "http://127.0.0.1:9/" }],
].map(([name, status, headers]) => ({
  name: `status ${String(name)}`,
  effect: "before",
  play: instead(Number(status), REJECTION, headers as Record<string, string>),
}))

/** Faults in which connections break or become silent. */
const CONNECTIONS: readonly WireFault[] = [
  { name: "reset before the head", effect: "before", play: () => ["reset"] },
  { name: "closed before the head", effect: "before", play: () => ["close"] },
  {
    name: "reset in the head",
    effect: "before",
    play: (response) => [headOf(response).slice(0, 30), APART, "reset"],
  },
  {
    name: "reset behind the head",
    effect: "before",
    play: (response) => [headOf(response), APART, "reset"],
  },
  {
    name: "reset behind the first frame",
    effect: "before",
    play: (response) => [...beginning(response), APART, "reset"],
  },
  {
    name: "reset midway",
    effect: "midway",
    play: (response) => [headOf(response), ...half(response), APART, "reset"],
  },
  {
    name: "closed midway",
    effect: "midway",
    play: (response) => [headOf(response), ...half(response), "close"],
  },
  { name: "silent before the head", effect: "before", play: () => [FOREVER] },
  {
    name: "silent behind the head",
    effect: "before",
    play: (response) => [headOf(response), FOREVER],
  },
  {
    name: "silent behind the first frame",
    effect: "before",
    play: (response) => [...beginning(response), FOREVER],
  },
  {
    name: "silent midway",
    effect: "midway",
    play: (response) => [headOf(response), ...half(response), FOREVER],
  },
  {
    name: "a slow first byte",
    effect: "none",
    play: (response) => [{ wait: 150 }, wholeOf(response)],
  },
]

/** Faults with messages that are not HTTP, or whose end is ambiguous. */
const MESSAGES: readonly WireFault[] = [
  { name: "no HTTP", effect: "before", play: () => ["220 smtp.example.com ESMTP\r\n\r\n"] },
  {
    name: "a head without an end",
    effect: "before",
    play: () => endless("HTTP/1.1 200 OK\r\n", Buffer.from("x-a: b\r\n".repeat(8_000))),
  },
  {
    name: "another protocol",
    effect: "before",
    play: () => ["HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\n\r\n"],
  },
  {
    name: "informational heads",
    effect: "none",
    play: (response) => [
      "HTTP/1.1 100 Continue\r\n\r\n",
      APART,
      "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n",
      wholeOf(response),
    ],
  },
  {
    name: "informational heads without an end",
    effect: "before",
    play: () => endless("", Buffer.from("HTTP/1.1 100 Continue\r\n\r\n".repeat(2_000))),
  },
  {
    name: "a length that is too long",
    effect: "midway",
    play: (response) => [
      headOf(response, { length: response.body.length + 100 }),
      response.body,
      "close",
    ],
  },
  {
    name: "a length that is none",
    effect: "before",
    play: (response) => [
      headOf(response).replace(
        /content-length: \d+|transfer-encoding: chunked/,
        "content-length: -5",
      ),
      response.body,
    ],
  },
  {
    name: "a chunk without a size",
    effect: "before",
    play: (response) => [headOf(response, "chunked"), "zz\r\n", response.body],
  },
  {
    name: "a stream that ends in the middle",
    effect: "midway",
    isSoundMessage: true,
    play: (response) => [
      headOf(response, "chunked"),
      ...(response.isStreamed ? half(response) : half(response).map((part) => chunk(part))),
      LAST_CHUNK,
    ],
  },
  {
    name: "a stream that ends behind its first frame",
    effect: "before",
    isSoundMessage: true,
    play: (response) => [
      headOf(response, "chunked"),
      chunk(framesOf(response)[0]?.subarray(0, response.isStreamed ? undefined : 1) ?? ""),
      LAST_CHUNK,
    ],
  },
]

/** Faults with frames and bodies that are cut, merged, repeated, compressed, or followed by other bytes. */
const BYTES: readonly WireFault[] = [
  { name: "each byte alone", effect: "none", play: (response) => byteByByte(wholeOf(response)) },
  { name: "all in one packet", effect: "none", play: (response) => [wholeOf(response)] },
  {
    name: "packed though not asked for",
    effect: "none",
    play: (response) => [packed(response, gzipSync(response.body))],
  },
  {
    name: "bytes behind the answer",
    effect: "none",
    play: (response) => [
      Buffer.concat([
        wholeOf(response),
        Buffer.from("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}"),
      ]),
    ],
  },
  {
    name: "late bytes behind the answer",
    effect: "before",
    play: (response) => [wholeOf(response), { wait: 40 }, "late"],
  },
  {
    name: "no word of the end",
    effect: "none",
    play: (response) => [
      headOf(response).replace(
        /content-length: \d+|transfer-encoding: chunked/,
        "connection: close",
      ),
      response.body,
      "close",
    ],
  },
  {
    name: "frames twice",
    effect: "midway",
    isSoundMessage: true,
    play: (response) => [headOf(response), ...twice(response)],
  },
]

/** Faults that each format expresses in its own way. */
const WORDS: readonly WireFault[] = [
  { name: "an error behind the opening", effect: "before", simulated: "opening-error" },
  { name: "an error midway", effect: "midway", simulated: "stream-error" },
  { name: "a broken frame midway", effect: "midway", simulated: "malformed" },
  { name: "no reason for its end", effect: "midway", simulated: "no-finish" },
  { name: "comments between the frames", effect: "none", simulated: "comments" },
  { name: "lines that end otherwise", effect: "none", simulated: "crlf" },
]

/** The port is closed. Tests play this fault themselves, because it is not a response. */
export const REFUSED: WireFault = { name: "refused", effect: "before" }

export const WIRE_FAULTS: readonly WireFault[] = [
  REFUSED,
  ...CONNECTIONS,
  ...STATUSES,
  ...MESSAGES,
  ...BYTES,
  ...CONTENTS,
  ...WORDS,
]

function* byteByByte(bytes: Buffer): Generator<Step> {
  for (let at = 0; at < Math.min(bytes.length, SINGLE_BYTES); at++) yield bytes.subarray(at, at + 1)
  yield bytes.subarray(SINGLE_BYTES)
}

function twice(response: SoundResponse): Step[] {
  if (!response.isStreamed) return [response.body]
  const chunks = framesOf(response).flatMap((frame) => [chunk(frame), chunk(frame)])
  return [Buffer.concat([...chunks, Buffer.from(LAST_CHUNK)])]
}
