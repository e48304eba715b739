import { describe, expect, test } from "bun:test"
import type { ChatEvent } from "../../src/canon/chat.ts"
import { foldEvents } from "../../src/canon/fold.ts"
import type { DialectId } from "../../src/canon/extra.ts"
import type { JsonObject } from "../../src/canon/json.ts"
import { ResponseRecord } from "../../src/relay/metering/response-record.ts"
import { CLIENTS, UPSTREAMS } from "../golden/dialects.ts"

/**
 * The number of members that frames add to a lasting object is limited for the whole response, because JavaScript
 * engines sort members with numeric names each time they list them.
 */

const MEMBERS = 9_000
const FRAMES = 3
const TOO_MANY = "more than 20,000 members"

let nextName = 1

function newMembers(): JsonObject {
  const names = Array.from({ length: MEMBERS }, () => String(nextName++))
  return Object.fromEntries(names.map((name) => [name, 0]))
}

/** Frames with new members, by the place that keeps them. */
const GROWING: readonly (readonly [place: string, DialectId, () => JsonObject])[] = [
  [
    "other members of a candidate",
    "gemini",
    () => ({ candidates: [{ index: 0, content: { parts: [] }, ...newMembers() }] }),
  ],
  [
    "arguments of a call",
    "gemini",
    () => {
      const chunks = Object.keys(newMembers()).map((name) => ({
        jsonPath: `$['${name}']`,
        numberValue: 0,
      }))
      const functionCall = { partialArgs: chunks, willContinue: true }
      return { candidates: [{ index: 0, content: { parts: [{ functionCall }] } }] }
    },
  ],
  [
    "the usage of a message",
    "anthropic-messages",
    () => ({ type: "message_delta", delta: {}, usage: { output_tokens: 1, ...newMembers() } }),
  ],
  [
    "a block of an unknown kind",
    "anthropic-messages",
    () => ({ type: "content_block_delta", index: 0, delta: { type: "other", ...newMembers() } }),
  ],
]

const FIRST: Readonly<Record<string, JsonObject>> = {
  gemini: {
    candidates: [
      {
        index: 0,
        content: { parts: [{ functionCall: { name: "f", willContinue: true, args: {} } }] },
      },
    ],
  },
  "anthropic-messages": {
    type: "content_block_start",
    index: 0,
    content_block: { type: "other" },
  },
}

describe("responses with too many members over several frames", () => {
  test.each(GROWING)("end with an error if they grow in %s of %s", (_, id, grow) => {
    const upstream = UPSTREAMS.find((each) => each.id === id)
    const decoder = upstream?.decodeEvents()
    const push = (json: JsonObject) => decoder?.push({ data: "", json })
    push(FIRST[id] ?? {})
    push(grow())
    push(grow())
    expect(() => push(grow())).toThrow(TOO_MANY)
  })

  test.each(["openai-chat", "anthropic-messages", "gemini", "cohere-chat"] as const)(
    "end with an error in the billing record of %s",
    (id) => {
      const record = new ResponseRecord(id)
      const push = () =>
        record.frame({ type: "message_delta", delta: newMembers(), ...newMembers() })
      expect(() => Array.from({ length: FRAMES }, push)).toThrow(TOO_MANY)
    },
  )

  test.each(CLIENTS)(
    "end with an error for $id when a stream is joined into a whole response",
    ({ id: dialect }) => {
      const events = Array.from({ length: FRAMES }, (): ChatEvent => {
        return { type: "choice-extra", choice: 0, extra: { dialect, fields: newMembers() } }
      })
      expect(() => foldEvents(events)).toThrow(TOO_MANY)
    },
  )
})

test("long inputs of Anthropic's own tools remain unparsed beyond a million characters", () => {
  const decoder = UPSTREAMS.find(({ id }) => id === "anthropic-messages")?.decodeEvents()
  const push = (json: JsonObject) => decoder?.push({ data: "", json }) ?? []
  const input = `{"a":[${"{},".repeat(200_000)}{}]}`
  const inputs = [0, 1].map((index) => {
    push({
      type: "content_block_start",
      index,
      content_block: { type: "server_tool_use", id: `s${index}`, name: "other", input: {} },
    })
    push({
      type: "content_block_delta",
      index,
      delta: { type: "input_json_delta", partial_json: input },
    })
    const [event] = push({ type: "content_block_stop", index })
    const [block] = (event?.type === "choice-extra" && event.extra.fields["content"]) as [
      JsonObject,
    ]
    return typeof block["input"]
  })
  expect(inputs).toEqual(["object", "string"])
})
