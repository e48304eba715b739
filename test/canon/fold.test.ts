import { describe, expect, test } from "bun:test"
import type { ChatEvent, Choice } from "../../src/canon/chat.ts"
import type { Part } from "../../src/canon/message.ts"
import { GatewayError } from "../../src/canon/errors.ts"
import { ResponseFold, foldEvents } from "../../src/canon/fold.ts"
import type { JsonObject } from "../../src/canon/json.ts"
import { NO_USAGE } from "../../src/canon/usage.ts"
import { errorEvent } from "../../src/dialects/shared/errors.ts"
import { threadTime, threadTimeUsed } from "../support/processor-time.ts"

function reasoning(text: string): ChatEvent {
  return { type: "reasoning-delta", choice: 0, text }
}

type SignatureEvent = Extract<ChatEvent, { type: "reasoning-signature" }>

function signature(signature: string, more: Partial<SignatureEvent> = {}): ChatEvent {
  return { type: "reasoning-signature", choice: 0, signature, signedBy: "gemini", ...more }
}

function said(text: string): ChatEvent {
  return { type: "text-delta", choice: 0, text }
}

function cited(url: string): ChatEvent {
  return { type: "citation", choice: 0, citation: { url } }
}

function partsOf(...events: ChatEvent[]): readonly Part[] | undefined {
  return foldEvents(events).choices[0]?.parts
}

function extra(fields: JsonObject): ChatEvent {
  return { type: "choice-extra", choice: 0, extra: { dialect: "openai-chat", fields } }
}

describe("foldEvents", () => {
  test("returns an empty response for an empty stream", () => {
    expect(foldEvents([])).toEqual({ choices: [] })
  })

  test("takes time linear in the number of chunks", () => {
    const chunks = 60_000
    const chunk = extra({ logprobs: { content: [{ token: "a", logprob: -1 }] } })
    const citations = 10_000
    const events = Array.from({ length: chunks }, (_, index) =>
      index < citations ? [said("a"), chunk, cited("u")] : [said("a"), chunk],
    ).flat()
    let choice: Choice | undefined
    const taken = threadTime(() => ([choice] = foldEvents(events).choices), 2_000)
    expect(taken).toBeLessThan(2_000)
    expect(choice?.parts).toMatchObject([{ text: "a".repeat(chunks) }])
    expect(choice?.parts[0]).toHaveProperty("citations.length", citations)
    expect(choice?.extra?.fields).toHaveProperty("logprobs.content.length", chunks)
    expect(chunk).toEqual(extra({ logprobs: { content: [{ token: "a", logprob: -1 }] } }))
  })

  test("joins many pieces of audio incrementally", () => {
    const source = { type: "base64", data: "AAA=" } as const
    const piece: ChatEvent = { type: "media", choice: 0, media: { type: "audio", source } }
    const times: { readonly pushed: number; readonly ended: number }[] = []
    let choice: Choice | undefined
    for (let attempt = 0; attempt < 3; attempt++) {
      const fold = new ResponseFold()
      const start = threadTimeUsed()
      for (let index = 0; index < 200_000; index++) fold.push(piece)
      const pushed = threadTimeUsed()
      ;[choice] = fold.end().choices
      times.push({ pushed: pushed - start, ended: threadTimeUsed() - pushed })
    }
    expect(Math.min(...times.map(({ pushed, ended }) => ended / pushed))).toBeLessThan(0.3)
    const data = Buffer.alloc(400_000).toString("base64")
    expect(choice?.parts).toEqual([{ type: "audio", source: { type: "base64", data } }])
  })

  test("does not let extras change object prototypes", () => {
    const evil = (): ChatEvent =>
      extra(JSON.parse('{"__proto__":{"told":true},"a":{"__proto__":{"told":true}}}') as JsonObject)
    foldEvents([evil(), evil(), evil()])
    expect({}).not.toHaveProperty("told")
  })

  test("joins deltas, sorts choices, and uses the last usage", () => {
    const events: ChatEvent[] = [
      { type: "start", id: "i", model: "m", created: 1, extra: { dialect: "gemini", fields: {} } },
      { type: "usage", usage: { ...NO_USAGE, output: 1 } },
      { type: "text-delta", choice: 1, text: "b" },
      { type: "text-delta", choice: 0, text: "a" },
      { type: "text-delta", choice: 0, text: "" },
      { type: "text-delta", choice: 0, text: "A" },
      { type: "refusal-delta", choice: 0, text: "no" },
      { type: "finish", choice: 0, reason: "stop", rawReason: "eos", stopSequence: "x" },
      { type: "usage", usage: { ...NO_USAGE, output: 2 } },
    ]
    expect(foldEvents(events)).toEqual({
      id: "i",
      model: "m",
      created: 1,
      extra: { dialect: "gemini", fields: {} },
      usage: { ...NO_USAGE, output: 2 },
      choices: [
        {
          index: 0,
          parts: [
            { type: "text", text: "aA" },
            { type: "refusal", text: "no" },
          ],
          finish: "stop",
          rawFinish: "eos",
          stopSequence: "x",
        },
        { index: 1, parts: [{ type: "text", text: "b" }], finish: "other" },
      ],
    })
  })

  test("ends a reasoning part at its signature, which a later signature replaces", () => {
    const parts = partsOf(
      reasoning("a"),
      reasoning("b"),
      signature("1"),
      signature("2"),
      reasoning("c"),
      said("t"),
      signature("3"),
    )
    expect(parts).toEqual([
      { type: "reasoning", text: "ab", signature: "2", signedBy: "gemini" },
      { type: "reasoning", text: "c" },
      { type: "text", text: "t" },
      { type: "reasoning", text: "", signature: "3", signedBy: "gemini" },
    ])
  })

  test("does not replace a part with a part that has another id", () => {
    const parts = partsOf(
      reasoning("a"),
      signature("1", { id: "rs_1" }),
      signature("2", { id: "rs_1" }),
      signature("3", { id: "rs_2" }),
      signature("4"),
    )
    expect(parts).toEqual([
      { type: "reasoning", text: "a", signature: "2", signedBy: "gemini", id: "rs_1" },
      { type: "reasoning", text: "", signature: "3", signedBy: "gemini", id: "rs_2" },
      { type: "reasoning", text: "", signature: "4", signedBy: "gemini" },
    ])
  })

  test("returns withheld reasoning as a separate part, wherever it occurs", () => {
    const withheld = { isRedacted: true, signedBy: "anthropic-messages" } as const
    const parts = partsOf(
      reasoning("a"),
      signature("1", withheld),
      signature("2", withheld),
      signature("3"),
      reasoning("b"),
      signature("4"),
      signature("5", withheld),
      reasoning("c"),
    )
    expect(parts).toEqual([
      { type: "reasoning", text: "a" },
      { type: "reasoning", text: "", signature: "1", ...withheld },
      { type: "reasoning", text: "", signature: "2", ...withheld },
      { type: "reasoning", text: "", signature: "3", signedBy: "gemini" },
      { type: "reasoning", text: "b", signature: "4", signedBy: "gemini" },
      { type: "reasoning", text: "", signature: "5", ...withheld },
      { type: "reasoning", text: "c" },
    ])
  })

  test("puts a signature between calls right before the next call", () => {
    const called = { type: "tool-call-start", choice: 0, name: "f" } as const
    const parts = partsOf(signature("1"), { ...called, call: 0, id: "a" }, signature("2"), {
      ...called,
      call: 1,
      id: "b",
    })
    expect(parts).toMatchObject([
      { type: "reasoning", signature: "1" },
      { type: "tool-call", id: "a" },
      { type: "reasoning", signature: "2" },
      { type: "tool-call", id: "b" },
    ])
  })

  test("attaches a citation to the text before it", () => {
    const parts = partsOf(
      cited("lost"),
      said("a"),
      cited("1"),
      said("b"),
      cited("2"),
      reasoning("hm"),
      said("c"),
      { type: "refusal-delta", choice: 0, text: "no" },
      cited("3"),
    )
    expect(parts).toEqual([
      { type: "text", text: "ab", citations: [{ url: "1" }, { url: "2" }] },
      { type: "reasoning", text: "hm" },
      { type: "text", text: "c", citations: [{ url: "3" }] },
      { type: "refusal", text: "no" },
    ])
  })

  test("separates interleaved calls, and uses an empty object for missing arguments", () => {
    const { choices } = foldEvents([
      { type: "tool-call-start", choice: 0, call: 0, id: "a", name: "f" },
      { type: "tool-call-start", choice: 0, call: 1, id: "b", name: "g" },
      { type: "tool-call-delta", choice: 0, call: 1, arguments: "{1" },
      { type: "tool-call-delta", choice: 0, call: 9, arguments: "lost" },
      { type: "tool-call-delta", choice: 0, call: 1, arguments: "}" },
    ])
    expect(choices[0]?.parts).toEqual([
      { type: "tool-call", id: "a", name: "f", arguments: "{}" },
      { type: "tool-call", id: "b", name: "g", arguments: "{1}" },
    ])
  })

  test("merges extras of one dialect and joins their lists", () => {
    const { choices } = foldEvents([
      extra({ logprobs: { content: [1] }, word: "a" }),
      extra({ logprobs: { content: [2] }, word: "b", message: { annotations: [1] } }),
    ])
    expect(choices[0]?.extra).toEqual({
      dialect: "openai-chat",
      fields: { logprobs: { content: [1, 2] }, word: "b", message: { annotations: [1] } },
    })
  })

  test("throws if the stream contains an error", () => {
    expect(() => foldEvents([errorEvent({ message: "broke" })])).toThrow(GatewayError)
  })
})
