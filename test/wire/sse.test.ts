import { expect, test } from "bun:test"
import { formatEvent, SseParser } from "../../src/wire/sse.ts"

const DATA = JSON.stringify({ type: "delta", text: "two\nlines" }, null, 2)

for (const event of [undefined, "delta"]) {
  test(`formatEvent keeps the lines of the data of ${event ?? "an event without a name"}`, () => {
    const received = event === undefined ? { data: DATA } : { event, data: DATA }
    const text = formatEvent(received)
    expect(new SseParser().push(new TextEncoder().encode(text))).toEqual([received])
  })
}
