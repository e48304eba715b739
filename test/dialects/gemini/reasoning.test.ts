import { describe, expect, test } from "bun:test"
import type { DialectId } from "../../../src/canon/extra.ts"
import type { Message, Part, ReasoningPart } from "../../../src/canon/message.ts"
import type { ReasoningOptions } from "../../../src/canon/chat.ts"
import { isJsonObject, type JsonValue } from "../../../src/canon/json.ts"
import {
  answered,
  asked,
  at,
  called,
  CURRENT_MODEL,
  EARLIER_MODEL,
  encode,
  encodeWhole,
} from "./support.ts"

const DUMMY = "skip_thought_signature_validator"

function signed(signature: string, text = "", signedBy: DialectId = "gemini"): ReasoningPart {
  return { type: "reasoning", text, signature, signedBy }
}

function said(...parts: Part[]): Message {
  return { role: "assistant", parts }
}

function modelParts(...parts: Part[]): JsonValue | undefined {
  const { contents } = encodeWhole({ messages: [asked("a"), said(...parts), asked("b")] })
  return at(contents, 1, "parts")
}

const text = (words: string): Part => ({ type: "text", text: words })
const call = (id: string): Part => ({ type: "tool-call", id, name: "f", arguments: "{}" })
const functionCall = (id: string): JsonValue => ({ name: "f", args: {}, id })

describe("the Gemini encoder of Gemini's signatures", () => {
  test("writes each signature on the part that follows the reasoning", () => {
    expect(modelParts(signed("s1", "thoughts"), text("a"))).toEqual([
      { text: "a", thoughtSignature: "s1" },
    ])
    expect(modelParts(text("a"), signed("s1"), call("1"), call("2"))).toEqual([
      { text: "a" },
      { functionCall: functionCall("1"), thoughtSignature: "s1" },
      { functionCall: functionCall("2") },
    ])
  })

  test("writes a signature on an empty text if no part follows the reasoning", () => {
    expect(modelParts(text("a"), signed("s1"))).toEqual([
      { text: "a" },
      { text: "", thoughtSignature: "s1" },
    ])
    expect(modelParts(signed("s1"), signed("s2"), text("a"))).toEqual([
      { text: "", thoughtSignature: "s1" },
      { text: "a", thoughtSignature: "s2" },
    ])
  })

  test("keeps the signature of a part that is sent back unchanged", () => {
    const code = { executableCode: { code: "1" }, thoughtSignature: "s2" }
    const kept: Part = { type: "unknown", extra: { dialect: "gemini", fields: code } }
    expect(modelParts(signed("s1"), kept)).toEqual([{ text: "", thoughtSignature: "s1" }, code])
  })

  test("sends a generated image back with its signature", () => {
    const source = { type: "base64", data: "AAAA", mediaType: "image/png" } as const
    expect(modelParts(signed("s1"), { type: "image", source })).toEqual([
      { inlineData: { mimeType: "image/png", data: "AAAA" }, thoughtSignature: "s1" },
    ])
  })
})

describe("the Gemini encoder of other models' reasoning", () => {
  test("drops the reasoning and its signature", () => {
    const messages = (part: ReasoningPart): Message[] => [asked("a"), said(part, text("b"))]
    const foreign = encode({ messages: messages(signed("s", "t", "anthropic-messages")) })
    expect(foreign.losses).toEqual(["reasoning.signature:dropped", "reasoning:dropped"])
    expect(at(foreign.body, "contents", 1, "parts")).toEqual([{ text: "b" }])
    expect(encode({ messages: messages({ type: "reasoning", text: "t" }) }).losses).toEqual([
      "reasoning:dropped",
    ])
    const redacted = { ...signed("s", "", "anthropic-messages"), isRedacted: true }
    expect(encode({ messages: messages(redacted) }).losses).toEqual(["reasoning.signature:dropped"])
  })
})

describe("the Gemini encoder of other models' calls", () => {
  function signatures(messages: Message[], model = CURRENT_MODEL): JsonValue[] {
    const { contents } = encodeWhole({ messages, model })
    const parts = (Array.isArray(contents) ? contents : []).flatMap((content) => {
      const listed = at(content, "parts")
      return Array.isArray(listed) ? listed : []
    })
    return parts
      .filter((part) => isJsonObject(part) && part.functionCall !== undefined)
      .map((part) => at(part, "thoughtSignature") ?? "none")
  }

  test("adds the placeholder signature to the first call of each step in the current turn", () => {
    const messages = [
      asked("a"),
      called("0"),
      answered("0", "x"),
      said(text("done")),
      asked("b"),
      said(call("1"), call("2")),
      answered("1", "x"),
      answered("2", "x"),
      called("3"),
      answered("3", "x"),
    ]
    expect(signatures(messages)).toEqual(["none", DUMMY, "none", DUMMY])
  })

  test("counts text after the result of a call as part of the current turn", () => {
    const messages = [asked("a"), called("1"), answered("1", "x"), asked("b")]
    expect(signatures(messages)).toEqual([DUMMY])
  })

  test("keeps a signature from Gemini and adds no placeholder in its step", () => {
    const messages = [
      asked("a"),
      said(signed("s1"), call("1"), call("2")),
      answered("1", "x"),
      answered("2", "x"),
      called("3"),
      answered("3", "x"),
    ]
    expect(signatures(messages)).toEqual(["s1", "none", DUMMY])
  })

  test("counts images from a tool as part of the current turn", () => {
    const source = { type: "base64", data: "AAAA", mediaType: "image/png" } as const
    const shown: Message = {
      role: "tool",
      parts: [{ type: "tool-result", id: "1", content: [{ type: "image", source }] }],
    }
    const { body } = encode({ messages: [asked("a"), called("1"), shown, called("2")] })
    expect(at(body, "contents", 1, "parts", 0, "thoughtSignature")).toBe(DUMMY)
    expect(at(body, "contents", 3, "parts", 0, "thoughtSignature")).toBe(DUMMY)
  })

  test("adds no placeholder signature for earlier models", () => {
    expect(signatures([asked("a"), called("1")], EARLIER_MODEL)).toEqual(["none"])
  })
})

describe("the Gemini thinking encoder", () => {
  function thinking(model: string, order: ReasoningOptions, maxTokens?: number): unknown {
    const limit = maxTokens === undefined ? {} : { maxTokens }
    const { body, losses } = encode({ model, reasoning: order, ...limit })
    const config = at(body, "generationConfig", "thinkingConfig")
    return losses.length === 0 ? config : [config, ...losses]
  }

  test.each<[string, ReasoningOptions, unknown]>([
    ["gemini-2.5-flash", { effort: "low" }, { thinkingBudget: 2000, includeThoughts: true }],
    ["gemini-2.5-flash", { effort: "none" }, { thinkingBudget: 0 }],
    ["gemini-2.5-flash", { budget: 0 }, { thinkingBudget: 0 }],
    ["gemini-2.5-flash", { budget: 500 }, { thinkingBudget: 500, includeThoughts: true }],
    ["gemini-2.5-flash", { isAdaptive: true }, { thinkingBudget: -1, includeThoughts: true }],
    ["gemini-2.5-flash", { summary: "auto" }, { includeThoughts: true }],
    ["gemini-2.5-flash", { effort: "high", summary: "none" }, { thinkingBudget: 8000 }],
    [
      "gemini-2.5-flash",
      { budget: 30_000 },
      [{ thinkingBudget: 24_576, includeThoughts: true }, "reasoning_budget:approximated"],
    ],
    [
      "gemini-2.5-flash",
      { effort: "heroic" },
      [{ includeThoughts: true }, "reasoning_effort:approximated"],
    ],
    [
      "gemini-2.5-flash-lite",
      { budget: 100 },
      [{ thinkingBudget: 512, includeThoughts: true }, "reasoning_budget:approximated"],
    ],
    [
      "gemini-2.5-pro",
      { effort: "none" },
      [{ thinkingBudget: 128 }, "reasoning_effort:approximated"],
    ],
  ])("sends a budget to %s: %j", (model, order, expected) => {
    expect(thinking(model, order, 10_000)).toEqual(expected)
  })

  test.each<[string, ReasoningOptions, unknown]>([
    ["gemini-3-flash-preview", { effort: "minimal" }, "MINIMAL"],
    ["gemini-3-flash-preview", { effort: "low" }, "LOW"],
    ["gemini-3-flash-preview", { effort: "medium" }, "MEDIUM"],
    ["gemini-3-flash-preview", { effort: "high" }, "HIGH"],
    ["gemini-3-flash-preview", { effort: "max" }, "HIGH"],
    ["gemini-3-flash-preview", { budget: 1024 }, "LOW"],
    ["gemini-3-pro-preview", { effort: "minimal" }, "LOW"],
    ["gemini-3-pro-preview", { effort: "medium" }, "HIGH"],
    ["gemini-3.1-pro-preview", { effort: "medium" }, "MEDIUM"],
    ["models/gemini-pro-latest", { effort: "minimal" }, "LOW"],
    ["publishers/google/models/gemini-3.5-flash", { effort: "minimal" }, "MINIMAL"],
    ["gemini-3-flash-preview", { isAdaptive: true }, undefined],
  ])("sends a level to %s: %j", (model, order, thinkingLevel) => {
    const level = thinkingLevel === undefined ? {} : { thinkingLevel }
    expect(thinking(model, order)).toEqual({ ...level, includeThoughts: true })
  })

  test("replaces a budget of zero and unknown efforts for a model with thinking levels", () => {
    expect(thinking("gemini-3-flash-preview", { effort: "none" })).toEqual([
      { thinkingLevel: "MINIMAL" },
      "reasoning_effort:approximated",
    ])
    expect(thinking("gemini-3-pro-preview", { budget: 0 })).toEqual([
      { thinkingLevel: "LOW" },
      "reasoning_budget:approximated",
    ])
    expect(thinking("gemini-3-pro-preview", { effort: "heroic" })).toEqual([
      { includeThoughts: true },
      "reasoning_effort:approximated",
    ])
  })

  test("drops thinking settings for a model without thinking", () => {
    expect(thinking("gemini-2.0-flash", { effort: "low" })).toEqual([
      undefined,
      "reasoning_effort:dropped",
    ])
    expect(thinking("gemini-2.5-flash-image", { budget: 2000 })).toEqual([
      undefined,
      "reasoning_budget:dropped",
    ])
    expect(thinking("gemini-2.0-flash", { effort: "none" })).toBeUndefined()
  })
})
