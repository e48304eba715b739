import { describe, expect, test } from "bun:test"
import { JsonScanner } from "../../../src/canon/json-structure.ts"
import { messageFrame } from "../../../simulator/bedrock-converse/event-frame.ts"
import { OpenEvent } from "../../../src/relay/upstream/open-event.ts"
import { UsageMembers } from "../../../src/relay/upstream/usage-members.ts"

function membersOf(text: string, chunkBytes = text.length) {
  const usage = new UsageMembers()
  const scanner = new JsonScanner({ observer: usage })
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    scanner.push(bytes.subarray(at, at + chunkBytes))
  }
  return usage.members
}

const USAGE = { prompt_tokens: 30, details: { list: [1, 2, { usage: 3 }], text: 'a "}, b' } }

describe("the members of a scanned response that report its usage", () => {
  const responses: Readonly<Record<string, object>> = {
    "at the start": { usage: USAGE, choices: [{ usage: 1 }] },
    "in the middle": { choices: [{ a: { usage: 1 } }], usage: USAGE, more: ["usage", { b: 2 }] },
    "at the end": { text: '"usage":{', choices: [], usage: USAGE },
    "before a long member": { choices: [], usage: USAGE, metadata: { a: "😀".repeat(20_000) } },
    "in the answer of an event": { type: "t", response: { output: [{ usage: 1 }], usage: USAGE } },
  }

  for (const [name, response] of Object.entries(responses)) {
    test(`include usage ${name}, for any split of the response`, () => {
      for (const spaces of [0, 2]) {
        const text = JSON.stringify(response, null, spaces)
        const sizes = text.length > 10_000 ? [7, 1_000, 1e6] : [1, 2, 3, 5, 8, 1e6]
        for (const size of sizes) expect(membersOf(text, size)).toEqual({ usage: USAGE })
      }
    })
  }

  test("do not include members of other objects", () => {
    expect(membersOf(JSON.stringify({ message: { usage: USAGE }, list: [{ usage: 1 }] }))).toEqual(
      {},
    )
    expect(membersOf(JSON.stringify(["usage", { usage: USAGE }]))).toEqual({})
    expect(membersOf(JSON.stringify({ response: [], other: { usage: USAGE } }))).toEqual({})
  })

  test("include the service mode, and only the last of several values", () => {
    const text = '{"service_tier":"flex","usage":{"a":1},"usage":{"a":2},"usageMetadata":null}'
    expect(membersOf(text)).toEqual({ service_tier: "flex", usage: { a: 2 } })
  })

  test("do not include values that are incomplete or too long", () => {
    expect(membersOf('{"usage":{"a":1')).toEqual({})
    expect(membersOf(JSON.stringify({ usage: { a: "x".repeat(20_000) } }))).toEqual({})
  })
})

/** Returns a frame whose checksum contains a quote, as about one of 60 does. */
function frameWithQuote(): Uint8Array {
  for (let index = 0; ; index++) {
    const frame = messageFrame("contentBlockDelta", JSON.stringify({ delta: { text: `${index}` } }))
    if (frame.subarray(-4).includes(0x22)) return frame
  }
}

test.each([7, 1_000, 64 * 1024])(
  "a long binary event that follows other events is scanned for its usage, in chunks of %p bytes",
  (size) => {
    const before = frameWithQuote()
    const payload = { usage: USAGE, trace: { text: "a{".repeat(200_000) } }
    const long = messageFrame("metadata", JSON.stringify(payload))
    const bytes = Buffer.concat([before, long])
    const first = before.length + 5
    const event = new OpenEvent(bytes.subarray(0, first))
    for (let at = first; at < bytes.length; at += size) event.push(bytes.subarray(at, at + size))
    expect(event.usageMembers).toEqual({ usage: USAGE })
  },
)

/** Returns an event with a long text whose checksum, or the next event's, contains a quote. */
function longFrameWithQuote(type: string): Uint8Array {
  for (let index = 0; ; index++) {
    const delta = { text: "a".repeat(300_000), index }
    const frame = messageFrame(type, JSON.stringify({ delta }))
    if (frame.subarray(-4).includes(0x22)) return frame
  }
}

test.each(
  ["messageStart", "contentBlockStart", "contentBlockDelta", "contentBlockStop"].flatMap((type) =>
    [7, 1_000, 64 * 1024, 1e6].map((size) => [type, size] as const),
  ),
)(
  "usage that follows a long binary event of type %s is found, in chunks of %p bytes",
  (type, size) => {
    const long = longFrameWithQuote(type)
    const short = [frameWithQuote(), frameWithQuote()]
    const usage = messageFrame("metadata", JSON.stringify({ usage: USAGE }))
    const bytes = Buffer.concat([long, ...short, usage])
    const event = new OpenEvent(bytes.subarray(0, 5))
    for (let at = 5; at < bytes.length; at += size) event.push(bytes.subarray(at, at + size))
    expect(event.usageMembers).toEqual({ usage: USAGE })
  },
)
