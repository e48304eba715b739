import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import type { ChatEvent, ChatResult, FinishReason } from "../../../src/canon/chat.ts"
import { limitedResult } from "../../../src/relay/chat/limited-result.ts"
import { StreamLimits } from "../../../src/relay/chat/stream-limits.ts"
import type { OwnLimits } from "../../../src/relay/fitting/own-limits.ts"

/** A tokenizer for which any three characters are one token. */
const COUNTER = {
  head: (text: string, tokens: number) => Promise.resolve(Math.min(text.length, tokens * 3)),
}

/** Texts of few letters, so that sequences often occur completely, partly and repeatedly. */
const LETTERS = fc.string({ unit: fc.constantFrom("a", "b", "😀", "😁"), maxLength: 24 })
const STOP = fc.array(
  fc.string({ unit: fc.constantFrom("a", "b", "😀"), minLength: 1, maxLength: 5 }),
  {
    minLength: 1,
    maxLength: 4,
  },
)
const CUTS = fc.array(fc.nat(24), { maxLength: 12 })

function chunks(text: string, cuts: readonly number[]): string[] {
  const places = [...cuts.filter((place) => place < text.length), 0, text.length].toSorted(
    (one, other) => one - other,
  )
  return places.slice(1).map((place, index) => text.slice(places[index], place))
}

/**
 * Returns the expected text. It is cut before the sequence that ends first. If several sequences end there, it is cut
 * before the longest.
 */
function expected(text: string, stop: readonly string[], max?: number): Ending {
  let sequence: string | undefined
  let left = text
  for (let end = 1; end <= text.length && sequence === undefined; end++) {
    const ended = stop.filter((word) => text.slice(0, end).endsWith(word))
    sequence = ended.toSorted((one, other) => other.length - one.length)[0]
    if (sequence !== undefined) left = text.slice(0, end - sequence.length)
  }
  if (max !== undefined && left.length > max * 3) {
    return { text: left.slice(0, max * 3), reason: "length", sequence: undefined }
  }
  return { text: left, reason: "stop", sequence }
}

interface Ending {
  readonly text: string
  readonly reason: FinishReason | undefined
  readonly sequence: string | undefined
}

async function streamed(limits: OwnLimits, choices: readonly (readonly string[])[]) {
  const cut = new StreamLimits(limits, choices.length, COUNTER)
  const events: ChatEvent[] = []
  const take = async (came: ChatEvent[]) => {
    if (cut.isOver) return
    events.push(...cut.push(came))
    if (cut.isDue) events.push(...(await cut.settle()))
  }
  const longest = Math.max(...choices.map((texts) => texts.length))
  for (let index = 0; index < longest; index++) {
    for (const [choice, texts] of choices.entries()) {
      const text = texts[index]
      if (text !== undefined) await take([{ type: "text-delta", choice, text }])
    }
  }
  for (const choice of choices.keys()) await take([{ type: "finish", choice, reason: "stop" }])
  events.push(...cut.flush())
  if (cut.isDue) events.push(...(await cut.settle()))
  return events
}

function toldOf(events: readonly ChatEvent[], choice: number) {
  const own = events.filter((event) => "choice" in event && event.choice === choice)
  const text = own.map((event) => (event.type === "text-delta" ? event.text : "")).join("")
  const finishes = own.filter((event) => event.type === "finish")
  expect(finishes).toHaveLength(1)
  expect(own.at(-1)?.type).toBe("finish")
  return { text, reason: finishes[0]?.reason, sequence: finishes[0]?.stopSequence }
}

describe("cutting a response at its limit", () => {
  test("does not depend on the division into frames, or on other choices", async () => {
    const choice = fc.tuple(LETTERS, CUTS)
    const max = fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined })
    await fc.assert(
      fc.asyncProperty(
        STOP,
        max,
        fc.array(choice, { minLength: 1, maxLength: 3 }),
        async (stop, maxTokens, all) => {
          const limits = maxTokens === undefined ? { stop } : { stop, maxTokens }
          const events = await streamed(
            limits,
            all.map(([text, cuts]) => chunks(text, cuts)),
          )
          for (const [index, [text]] of all.entries()) {
            expect(toldOf(events, index)).toEqual(expected(text, stop, maxTokens))
          }
        },
      ),
      { numRuns: 400 },
    )
  })

  test("ends a whole response at the same place, whether its text has one part or several", async () => {
    await fc.assert(
      fc.asyncProperty(STOP, LETTERS, CUTS, async (stop, text, cuts) => {
        const parts = chunks(text, cuts).map((chunk) => ({ type: "text", text: chunk }) as const)
        const result: ChatResult = { choices: [{ index: 0, parts, finish: "stop" }] }
        const { choices } = await limitedResult(result, { stop, maxTokens: 4 }, COUNTER)
        const [told] = choices
        const texts = told?.parts.map((part) => (part.type === "text" ? part.text : "")) ?? []
        const { finish: reason, stopSequence: sequence } = told ?? {}
        expect({ text: texts.join(""), reason, sequence }).toEqual(expected(text, stop, 4))
      }),
      { numRuns: 200 },
    )
  })

  test("holds back only text that may begin a stop sequence", () => {
    const cut = new StreamLimits({ stop: ["abc"] }, 1, COUNTER)
    const texts = (text: string) =>
      cut
        .push([{ type: "text-delta", choice: 0, text }])
        .map((event) => (event.type === "text-delta" ? event.text : event.type))
    expect(texts("xyab")).toEqual(["xy"])
    expect(texts("ab")).toEqual(["ab"])
    expect(texts("d")).toEqual(["ab", "d"])
    expect(texts("e")).toEqual(["e"])
  })

  test("holds citations back together with their text, and drops citations of removed text", () => {
    const cited = (stop: string, text: string): string[] => {
      const cut = new StreamLimits({ stop: [stop] }, 1, COUNTER)
      const citation = { url: "https://example.com" }
      const events = [
        ...cut.push([{ type: "text-delta", choice: 0, text: "so ab" }]),
        ...cut.push([{ type: "citation", choice: 0, citation }]),
        ...cut.push([{ type: "text-delta", choice: 0, text }]),
      ]
      return events.map((event) => (event.type === "text-delta" ? event.text : event.type))
    }
    expect(cited("abc", "d")).toEqual(["so ", "ab", "citation", "d"])
    expect(cited("abc", "c")).toEqual(["so ", "finish"])
  })

  test("does not match a stop sequence across a tool call", () => {
    const cut = new StreamLimits({ stop: ["ab"] }, 1, COUNTER)
    const events = cut.push([
      { type: "text-delta", choice: 0, text: "a" },
      { type: "tool-call-start", choice: 0, call: 0, id: "1", name: "look" },
      { type: "text-delta", choice: 0, text: "b" },
      { type: "usage", usage: {} as never },
    ])
    expect(events.map(({ type }) => type)).toEqual([
      "text-delta",
      "tool-call-start",
      "text-delta",
      "usage",
    ])
  })

  test("shortens citations to the remaining text", async () => {
    const citations = [{ start: 0, end: 2 }, { start: 1, end: 6 }, { start: 4, end: 6 }, {}]
    const parts = [{ type: "text", text: "one two", citations }] as const
    const extra = { dialect: "openai-chat", fields: { logprobs: {} } } as const
    const result: ChatResult = { choices: [{ index: 0, parts, finish: "stop", extra }] }
    const { choices } = await limitedResult(result, { stop: [" "] }, COUNTER)
    expect(choices).toEqual([
      {
        index: 0,
        parts: [
          {
            type: "text",
            text: "one",
            citations: [{ start: 0, end: 2 }, { start: 1, end: 3 }, {}],
          },
        ],
        finish: "stop",
        stopSequence: " ",
      },
    ])
  })
})
