import { expect, test } from "bun:test"
import type { ChatEvent, ChatResult } from "../../../src/canon/chat.ts"
import { foldEvents } from "../../../src/canon/fold.ts"
import { OtherContent } from "../../../src/canon/other-content.ts"
import { eventsOf } from "../../../src/canon/unfold.ts"
import { RestoringDecoder, restoredResult } from "../../../src/relay/fitting/restored-response.ts"

const call = (id: string, name: string, written: string) =>
  ({ type: "tool-call", id, name, arguments: written }) as const
const RESTORATION = { answerTool: "answer" }

/** Returns the events of a restored stream. */
function restoredEvents(events: readonly ChatEvent[]): ChatEvent[] {
  const decoder = new RestoringDecoder(
    { finished: true, other: new OtherContent(), push: () => [...events], end: () => [] },
    RESTORATION,
  )
  return [...decoder.push({ data: "" }), ...decoder.end()]
}

test.each([
  [[call("1", "answer", '{"x":1}'), call("2", "answer", '{"x":2}')], ['{"x":1}'], []],
  [[call("1", "answer", '{"x":1}'), call("2", "look", "{}")], ['{"x":1}'], [0]],
  [
    [call("1", "look", "{}"), call("2", "answer", '{"x":1}'), call("3", "see", "{}")],
    ['{"x":1}'],
    [0, 1],
  ],
])(
  "only the first call of the response tool is returned as the response (%#)",
  (parts, texts, numbers) => {
    const whole: ChatResult = { choices: [{ index: 0, parts, finish: "tool-calls" }] }
    const events = restoredEvents([...eventsOf(whole)])
    const [folded] = foldEvents(events).choices
    const [restored] = restoredResult(whole, RESTORATION).choices
    for (const choice of [folded, restored]) {
      const said = choice?.parts.flatMap((part) => (part.type === "text" ? [part.text] : []))
      expect(said).toEqual(texts)
      expect(choice?.finish).toBe(numbers.length === 0 ? "stop" : "tool-calls")
    }
    const starts = events.flatMap((event) => (event.type === "tool-call-start" ? [event.call] : []))
    expect(starts).toEqual(numbers)
  },
)
