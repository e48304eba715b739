import { gzipSync } from "node:zlib"
import {
  bomb,
  choicesAsText,
  choicesInFrame,
  elementsAsText,
  elementsInFrame,
  longFrame,
  manyAsText,
  manyInFrame,
} from "./heavy-payloads.ts"
import { chunk, framesOf, headOf, LAST_CHUNK, type SoundAnswer, wholeOf } from "./sound-answer.ts"

/** A step on a connection: writing bytes, waiting, or ending the connection. */
export type Step = string | Buffer | { readonly wait: number } | "reset" | "close"

/**
 * The effect of a fault on a reader that follows the standards. `none`: the fault has no effect. `before`: the answer
 * fails before it has begun. `midway`: the answer may be cut off after a part was delivered.
 */
export type Effect = "none" | "before" | "midway"

/** A fault on the wire. */
export interface WireFault {
  readonly name: string
  readonly effect: Effect
  /** The fault that the simulator injects. The steps on the connection are then the steps of a correct answer. */
  readonly simulated?: string
  /** Returns the steps. The connection stays open after the last step, unless that step ends it. */
  readonly play?: (answer: SoundAnswer) => Iterable<Step>
  /** Whether the message is correct, including content whose format is not read, such as audio. */
  readonly isSoundMessage?: boolean
}

const FOREVER = { wait: Number.POSITIVE_INFINITY }
/** Wait between two writes that must not be merged, in milliseconds. */
const APART = { wait: 1 }
/** Maximum number of bytes that are sent one by one. */
const SINGLE_BYTES = 3_000
/** Number of bytes of endless content that are sent at once. */
const PORTION = 64 * 1024
const PAGE = "<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body></body></html>"

/** Performs steps that differ from those of the correct answer. */
function instead(
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): (answer: SoundAnswer) => Step[] {
  const lines = Object.entries({ "content-type": "application/json", ...headers })
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")
  const length = `content-length: ${Buffer.byteLength(body)}\r\n`
  return () => [`HTTP/1.1 ${status} Whatever\r\n${head}${length}\r\n${body}`]
}

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

function* endless(start: Step, portion: Buffer): Generator<Step> {
  yield start
  for (;;) yield portion
}

/** Sends `portion` as an endless body. A valid answer could begin with this text. */
function endlessOf(portion: string): (answer: SoundAnswer) => Iterable<Step> {
  const text = portion.repeat(Math.ceil(PORTION / portion.length))
  return (answer) => endless(headOf(answer, "chunked"), chunk(text))
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

/** Faults with content of any size that is not the requested answer. */
const CONTENTS: readonly WireFault[] = [
  {
    name: "a page with status 200",
    effect: "before",
    play: instead(200, PAGE, { "content-type": "text/html" }),
  },
  { name: "a page as JSON", effect: "before", play: instead(200, PAGE) },
  { name: "nothing", effect: "before", play: instead(200, "") },
  { name: "null", effect: "before", play: instead(200, "null") },
  { name: "an empty object", effect: "before", play: instead(200, "{}") },
  {
    name: "half of a JSON",
    effect: "before",
    play: (answer) => [
      headOf(answer, { length: 9 }, { "content-type": "application/json" }),
      '{"a": [{]',
    ],
  },
  {
    name: "a bomb",
    effect: "before",
    isSoundMessage: true,
    play: (answer) => [packed(answer, bomb())],
  },
  {
    name: "a frame of 20 MB",
    effect: "before",
    isSoundMessage: true,
    play: (answer) => [headOf(answer, "chunked"), longFrame(), LAST_CHUNK],
  },
  {
    name: "two million values",
    effect: "before",
    isSoundMessage: true,
    play: (answer) => [headOf(answer, "chunked"), manyInFrame(), LAST_CHUNK],
  },
  {
    name: "two million values as text",
    effect: "before",
    play: (answer) => [
      headOf(answer, "chunked", answer.isStreamed ? {} : { "content-type": "text/plain" }),
      manyAsText(),
      LAST_CHUNK,
    ],
  },
  {
    name: "eight million elements",
    effect: "before",
    isSoundMessage: true,
    play: (answer) => [headOf(answer, "chunked"), elementsInFrame(), LAST_CHUNK],
  },
  {
    name: "sixteen million elements as text",
    effect: "before",
    play: (answer) => [
      headOf(answer, "chunked", answer.isStreamed ? {} : { "content-type": "text/plain" }),
      elementsAsText(),
      LAST_CHUNK,
    ],
  },
  {
    name: "half a million choices",
    effect: "before",
    isSoundMessage: true,
    play: (answer) => [
      headOf(answer, "chunked"),
      answer.isStreamed ? choicesInFrame() : choicesAsText(),
      LAST_CHUNK,
    ],
  },
  {
    name: "garbage without an end",
    effect: "before",
    isSoundMessage: true,
    play: endlessOf("\u0000\u0001garbage "),
  },
  {
    name: "comments without an end",
    effect: "before",
    isSoundMessage: true,
    play: endlessOf(": alive\n\n"),
  },
  {
    name: "empty frames without an end",
    effect: "before",
    isSoundMessage: true,
    play: endlessOf("data: {}\n\n"),
  },
  {
    name: "white space without an end",
    effect: "before",
    isSoundMessage: true,
    play: endlessOf(" \n"),
  },
  { name: "a comment now and then", effect: "before", isSoundMessage: true, play: trickle },
  {
    name: "an error of a MB",
    effect: "before",
    play: instead(500, `{"error":{"message":"${"no ".repeat(400_000)}"}}`),
  },
  {
    name: "an error without an end",
    effect: "before",
    play: (answer) =>
      endless(headOf({ ...answer, status: 500 }, "chunked"), chunk("a".repeat(PORTION))),
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

function* trickle(answer: SoundAnswer): Generator<Step> {
  yield headOf(answer, "chunked")
  for (;;) {
    yield chunk(answer.isStreamed ? ": alive\n\n" : " ")
    yield { wait: 200 }
  }
}

function packed(answer: SoundAnswer, bytes: Buffer): Buffer {
  const head = headOf(answer, { length: bytes.length }, { "content-encoding": "gzip" })
  return Buffer.concat([Buffer.from(head), bytes])
}
