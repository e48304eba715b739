import { afterAll, expect, test } from "bun:test"
import type { ChatRequest } from "../../../src/canon/chat.ts"
import type { EventDecoder } from "../../../src/canon/dialect.ts"
import { OPENAI_CHAT } from "../../../src/dialects/openai-chat/index.ts"
import { foldResponse } from "../../../src/relay/chat/fold-response.ts"
import { Meter } from "../../../src/relay/metering/meter.ts"
import { encodeText } from "../../../src/wire/sse.ts"
import { responseOf, AttemptWorld } from "../../laws/attempt-world.ts"

const REQUEST: ChatRequest = {
  model: "m",
  messages: [],
  stream: true,
  streamUsage: true,
  choices: 1,
}
const FRAMES = 30
const FRAME_MS = 6

const world = new AttemptWorld()
afterAll(() => world[Symbol.dispose]())

/** Returns a decoder that blocks its thread for a while with each frame. */
function slowDecoder(): EventDecoder {
  const decoder = OPENAI_CHAT.decodeEvents(REQUEST)
  const push = decoder.push.bind(decoder)
  decoder.push = (frame) => {
    const until = performance.now() + FRAME_MS
    while (performance.now() < until);
    return push(frame)
  }
  return decoder
}

function chunk(delta: object, finish: string | null): string {
  const choice = { index: 0, delta, finish_reason: finish }
  return `data: ${JSON.stringify({ id: "a", model: "m", choices: [choice] })}\n\n`
}

test("frames that arrive together but decode slowly do not block other requests", async () => {
  const words = Array.from({ length: FRAMES }, (_, index) => `${index} `)
  const text = words.map((word) => chunk({ content: word }, null)).join("")
  const chunks = [encodeText(`${text}${chunk({}, "stop")}data: [DONE]\n\n`)].values()
  let turns = 0
  let isOver = false
  const count = (): void => {
    turns++
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  const { result } = await world.with(OPENAI_CHAT, REQUEST, (attempt) => {
    const decoder = slowDecoder()
    const response = responseOf("text/event-stream", () => chunks.next().value)
    return foldResponse(attempt, response, { decoder, meter: new Meter(decoder.other) })
  })
  isOver = true
  expect(result.choices[0]?.parts).toEqual([{ type: "text", text: words.join("") }])
  // A busy machine makes turns shorter, not longer.
  expect(turns).toBeGreaterThan(FRAMES / 4)
})

test("the gateway reads the streams of several calls in turn, even if they contain no text for the caller", async () => {
  const calls = 64
  const silent = encodeText(`data: ${JSON.stringify({ id: "a", choices: [] })}\n\n`.repeat(100))
  let inTurn = 0
  let longest = 0
  let isOver = false
  const count = (): void => {
    longest = Math.max(longest, inTurn)
    inTurn = 0
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  const read = () =>
    world.with(
      OPENAI_CHAT,
      REQUEST,
      (attempt) => {
        const end = encodeText(chunk({ content: "x" }, "stop"))
        const chunks = [...Array.from({ length: 50 }, () => silent), end].values()
        const decoder = OPENAI_CHAT.decodeEvents(REQUEST)
        const response = responseOf("text/event-stream", () => {
          inTurn++
          return chunks.next().value
        })
        return foldResponse(attempt, response, { decoder, meter: new Meter(decoder.other) })
      },
      calls,
    )
  await Promise.all(Array.from({ length: calls }, read))
  isOver = true
  expect(longest).toBeLessThanOrEqual(2 * calls)
})
