import { gzipSync } from "node:zlib"
import { CONTENTS } from "./content-faults.ts"
import { endless, instead, packed, type Step, type WireFault } from "./fault.ts"
import { chunk, framesOf, headOf, LAST_CHUNK, type SoundAnswer, wholeOf } from "./sound-answer.ts"

const FOREVER = { wait: Number.POSITIVE_INFINITY }
/** Wait between two writes that must not be merged, in milliseconds. */
const APART = { wait: 1 }
/** Maximum number of bytes that are sent one by one. */
const SINGLE_BYTES = 3_000
const REJECTION = JSON.stringify({ error: { message: "It does not work.", type: "server_error" } })

/** Returns the first half of the frames. */
function half(answer: SoundAnswer): Buffer[] {
  const frames = framesOf(answer)
  if (!answer.isStreamed) return [answer.body.subarray(0, Math.ceil(answer.body.length / 2))]
  return frames.slice(0, Math.ceil(frames.length / 2)).map((frame) => chunk(frame))
}

/** Returns the head and the first frame of a stream. If the answer is not streamed, returns the head and one byte. */
function beginning(answer: SoundAnswer): Step[] {
  const [first = Buffer.of()] = framesOf(answer)
  return answer.isStreamed
    ? [headOf(answer), chunk(first)]
    : [headOf(answer), answer.body.subarray(0, 1)]
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
    play: (answer) => [headOf(answer).slice(0, 30), APART, "reset"],
  },
  {
    name: "reset behind the head",
    effect: "before",
    play: (answer) => [headOf(answer), APART, "reset"],
  },
  {
    name: "reset behind the first frame",
    effect: "before",
    play: (answer) => [...beginning(answer), APART, "reset"],
  },
  {
    name: "reset midway",
    effect: "midway",
    play: (answer) => [headOf(answer), ...half(answer), APART, "reset"],
  },
  {
    name: "closed midway",
    effect: "midway",
    play: (answer) => [headOf(answer), ...half(answer), "close"],
  },
  { name: "silent before the head", effect: "before", play: () => [FOREVER] },
  { name: "silent behind the head", effect: "before", play: (answer) => [headOf(answer), FOREVER] },
  {
    name: "silent behind the first frame",
    effect: "before",
    play: (answer) => [...beginning(answer), FOREVER],
  },
  {
    name: "silent midway",
    effect: "midway",
    play: (answer) => [headOf(answer), ...half(answer), FOREVER],
  },
  { name: "a slow first byte", effect: "none", play: (answer) => [{ wait: 150 }, wholeOf(answer)] },
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
    play: (answer) => [
      "HTTP/1.1 100 Continue\r\n\r\n",
      APART,
      "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n",
      wholeOf(answer),
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
    play: (answer) => [headOf(answer, { length: answer.body.length + 100 }), answer.body, "close"],
  },
  {
    name: "a length that is none",
    effect: "before",
    play: (answer) => [
      headOf(answer).replace(
        /content-length: \d+|transfer-encoding: chunked/,
        "content-length: -5",
      ),
      answer.body,
    ],
  },
  {
    name: "a chunk without a size",
    effect: "before",
    play: (answer) => [headOf(answer, "chunked"), "zz\r\n", answer.body],
  },
  {
    name: "a stream that ends in the middle",
    effect: "midway",
    isSoundMessage: true,
    play: (answer) => [
      headOf(answer, "chunked"),
      ...(answer.isStreamed ? half(answer) : half(answer).map((part) => chunk(part))),
      LAST_CHUNK,
    ],
  },
  {
    name: "a stream that ends behind its first frame",
    effect: "before",
    isSoundMessage: true,
    play: (answer) => [
      headOf(answer, "chunked"),
      chunk(framesOf(answer)[0]?.subarray(0, answer.isStreamed ? undefined : 1) ?? ""),
      LAST_CHUNK,
    ],
  },
]

/** Faults with frames and bodies that are cut, merged, repeated, compressed, or followed by other bytes. */
const BYTES: readonly WireFault[] = [
  { name: "each byte alone", effect: "none", play: (answer) => byteByByte(wholeOf(answer)) },
  { name: "all in one packet", effect: "none", play: (answer) => [wholeOf(answer)] },
  {
    name: "packed though not asked for",
    effect: "none",
    play: (answer) => [packed(answer, gzipSync(answer.body))],
  },
  {
    name: "bytes behind the answer",
    effect: "none",
    play: (answer) => [
      Buffer.concat([
        wholeOf(answer),
        Buffer.from("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}"),
      ]),
    ],
  },
  {
    name: "late bytes behind the answer",
    effect: "before",
    play: (answer) => [wholeOf(answer), { wait: 40 }, "late"],
  },
  {
    name: "no word of the end",
    effect: "none",
    play: (answer) => [
      headOf(answer).replace(/content-length: \d+|transfer-encoding: chunked/, "connection: close"),
      answer.body,
      "close",
    ],
  },
  {
    name: "frames twice",
    effect: "midway",
    isSoundMessage: true,
    play: (answer) => [headOf(answer), ...twice(answer)],
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

/** The port is closed. Tests play this fault themselves, because it is not an answer. */
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

function twice(answer: SoundAnswer): Step[] {
  if (!answer.isStreamed) return [answer.body]
  const chunks = framesOf(answer).flatMap((frame) => [chunk(frame), chunk(frame)])
  return [Buffer.concat([...chunks, Buffer.from(LAST_CHUNK)])]
}
