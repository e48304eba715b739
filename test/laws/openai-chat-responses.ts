import * as fc from "fast-check"
import type { Citation, Part, TextPart } from "../../src/canon/message.ts"
import type { ChatEvent, ChatResult, Choice, FinishReason } from "../../src/canon/chat.ts"
import type { Extra } from "../../src/canon/extra.ts"
import { MAX_QUANTITY } from "../../src/accounting/maxima.ts"
import { NO_USAGE, type Usage } from "../../src/canon/usage.ts"
import {
  extra,
  fields,
  reasoningPart,
  record,
  refusalPart,
  text,
  toolCall,
  webUrl,
  word,
} from "./openai-chat-parts.ts"

/** Limited, so that the sum of all classes does not exceed the maximum quantity. */
const tokens = fc.nat(MAX_QUANTITY / 10)
const usage: fc.Arbitrary<Usage> = fc
  .record({
    inputFresh: tokens,
    inputCacheRead: tokens,
    inputCacheWrite: tokens,
    audioInput: tokens,
    imageInput: tokens,
    output: tokens,
    audioOutput: tokens,
    searches: fc.nat(9),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  .map(({ share, ...usage }) => ({
    ...NO_USAGE,
    ...usage,
    reasoning: Math.floor(usage.output * share),
  }))

/**
 * Returns a consistent finish reason. A response with calls does not stop, and a response without calls does not end
 * with calls.
 */
function finishOf(hasCalls: boolean, finish: FinishReason): FinishReason {
  if (finish !== "stop" && finish !== "tool-calls") return finish
  return hasCalls ? "tool-calls" : "stop"
}

const finish = fc.constantFrom<FinishReason>("stop", "length", "tool-calls", "content-filter")

const choiceExtra: fc.Arbitrary<Extra> = fc
  .tuple(fields, fields, fc.boolean(), fc.boolean())
  .map(([own, ofMessage, hasOwn, hasMessage]) => ({
    dialect: "openai-chat",
    fields: {
      ...(hasOwn || !hasMessage ? own : {}),
      ...(hasMessage ? { message: ofMessage } : {}),
    },
  }))

const citation: fc.Arbitrary<Citation> = record<Citation>(
  fc
    .tuple(webUrl, fc.nat(9), fc.nat(9))
    .map(([url, start, length]) => ({ url, start, end: start + length })),
  { title: text, quote: text, extra },
)
const saidPart: fc.Arbitrary<Part> = record<TextPart>(
  text.map((text) => ({ type: "text", text })),
  { citations: fc.array(citation, { minLength: 1, maxLength: 2 }) },
)

/** Calls that each follow their own reasoning. */
const reasonedCalls: fc.Arbitrary<Part[]> = fc
  .array(fc.tuple(fc.array(reasoningPart, { maxLength: 2 }), toolCall), { maxLength: 3 })
  .map((calls) => calls.flatMap(([reasoning, call]) => [...reasoning, call]))

export const choice: fc.Arbitrary<Choice> = record<Choice>(
  fc
    .tuple(
      fc.array(reasoningPart, { maxLength: 2 }),
      fc.array(saidPart, { maxLength: 1 }),
      fc.array(refusalPart, { maxLength: 1 }),
      reasonedCalls,
      fc.array(reasoningPart, { maxLength: 1 }),
      finish,
    )
    .map(([reasoning, said, refusal, calls, last, finish]) => {
      const parts = [...reasoning, ...said, ...refusal, ...calls, ...last]
      const hasCalls = parts.some(({ type }) => type === "tool-call")
      return { index: 0, parts, finish: finishOf(hasCalls, finish) }
    }),
  { extra: choiceExtra },
)

export const result: fc.Arbitrary<ChatResult> = record<ChatResult>(
  fc
    .tuple(word, word, fc.nat(), fc.array(choice, { minLength: 1, maxLength: 3 }), usage)
    .map(([id, model, created, choices, usage]) => ({
      id: `chatcmpl-${id}`,
      model,
      created,
      choices: choices.map((choice, index) => ({ ...choice, index })),
      usage,
    })),
  { extra },
)

/** Generates the events of one choice in order. */
function streamOf(choice: number): fc.Arbitrary<ChatEvent[]> {
  const said: fc.Arbitrary<ChatEvent> = fc.oneof(
    text.map((text): ChatEvent => ({ type: "text-delta", choice, text })),
    text.map((text): ChatEvent => ({ type: "reasoning-delta", choice, text })),
    text.map((text): ChatEvent => ({ type: "refusal-delta", choice, text })),
    signature(choice),
    choiceExtra.map((extra): ChatEvent => ({ type: "choice-extra", choice, extra })),
  )
  const called = fc.array(fc.tuple(word, fc.array(text, { minLength: 1, maxLength: 3 })), {
    maxLength: 2,
  })
  const cited = fc.array(citation, { maxLength: 2 })
  return fc
    .tuple(fc.array(said, { maxLength: 6 }), called, cited, finish)
    .map(([said, called, cited, finish]) => {
      const calls = called.flatMap(([name, chunks], call): ChatEvent[] => [
        { type: "tool-call-start", choice, call, id: `call_${call}`, name },
        ...chunks.map((chunk): ChatEvent => ({
          type: "tool-call-delta",
          choice,
          call,
          arguments: chunk,
        })),
      ])
      const reason = finishOf(called.length > 0, finish)
      const citations = cited.map((citation): ChatEvent => ({ type: "citation", choice, citation }))
      return [...said, ...calls, ...citations, { type: "finish", choice, reason }]
    })
}

function signature(choice: number): fc.Arbitrary<ChatEvent> {
  return record<ChatEvent>(
    fc.uuid().map((signature) => ({
      type: "reasoning-signature",
      choice,
      signature,
      signedBy: "openai-chat",
    })),
    { isRedacted: fc.constant(true), id: word },
  )
}

export const events: fc.Arbitrary<ChatEvent[]> = fc
  .tuple(
    record<ChatEvent>(
      fc.tuple(word, word, fc.nat()).map(([id, model, created]) => ({
        type: "start",
        id: `chatcmpl-${id}`,
        model,
        created,
      })),
      { extra },
    ),
    streamOf(0),
    streamOf(1),
    fc.infiniteStream(fc.boolean()),
    usage,
  )
  .map(([start, left, right, coin, usage]) => [
    start,
    ...interleave(left, right, coin),
    { type: "usage", usage },
  ])

function interleave(left: ChatEvent[], right: ChatEvent[], coin: Iterator<boolean>): ChatEvent[] {
  const mixed: ChatEvent[] = []
  let [fromLeft, fromRight] = [0, 0]
  while (fromLeft < left.length || fromRight < right.length) {
    const isLeft = fromRight >= right.length || (fromLeft < left.length && coin.next().value)
    mixed.push(isLeft ? left[fromLeft++]! : right[fromRight++]!)
  }
  return mixed
}
