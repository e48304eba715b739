import { expect, test } from "bun:test"
import type { ChatEvent } from "../../../src/canon/chat.ts"
import { ANTHROPIC_MESSAGES } from "../../../src/dialects/anthropic-messages/index.ts"
import { ObjectProgress } from "../../../src/dialects/anthropic-messages/stream/object-progress.ts"
import { expectBelow, threadTime } from "../../support/processor-time.ts"

const TEXT = String.raw` {"a":"} \"]\\","b":[{"c":"\\\""}]} `

test("the object parser completes an object at its closing bracket for any split of the text", () => {
  const end = TEXT.lastIndexOf("}")
  for (let cut = 0; cut <= end; cut++) {
    const progress = new ObjectProgress()
    progress.add(TEXT.slice(0, cut))
    expect(progress.isComplete).toBe(false)
    progress.add(TEXT.slice(cut, end))
    expect(progress.isComplete).toBe(false)
    progress.add(TEXT.slice(end))
    expect(progress.isComplete).toBe(true)
  }
})

test("the object parser reads long arguments once while another block is pending", () => {
  const encoder = ANTHROPIC_MESSAGES.encodeEvents({
    model: "m",
    messages: [],
    stream: true,
    streamUsage: true,
    choices: 1,
  })
  const delta = (text: string): ChatEvent => {
    return { type: "tool-call-delta", choice: 0, call: 0, arguments: text }
  }
  encoder.push({ type: "tool-call-start", choice: 0, call: 0, id: "c", name: "f" })
  encoder.push(delta(`{"a":[${"{},".repeat(240_000)}`))
  encoder.push({ type: "text-delta", choice: 0, text: "a" })
  const time = threadTime(() => {
    for (let index = 0; index < 200; index++) encoder.push(delta("1,"))
  }, 100)
  expect(time).toBeLessThan(100)
})

test("the object parser reads millions of quotes and brackets quickly", () => {
  const text = '"'.repeat(8_000_000) + "{}".repeat(4_000_000)
  const limit = 350
  expectBelow(
    threadTime(() => new ObjectProgress().add(text), limit),
    limit,
  )
})
