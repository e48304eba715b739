import { expect, test } from "bun:test"
import { joinInSlices } from "../../src/canon/joined-bytes.ts"
import { TurnCounter } from "../support/turn-counter.ts"

/** Returns chunks of one byte each, with values that count from 0. */
const bytes = (count: number): Uint8Array[] =>
  Array.from({ length: count }, (_, index) => Uint8Array.of(index % 256))

test("joining many chunks does not block the event loop", async () => {
  using turns = new TurnCounter()
  const joined = await joinInSlices(bytes(50_000), 50_000)
  expect(turns.count).toBeGreaterThanOrEqual(5)
  expect(joined.equals(Buffer.concat(bytes(50_000)))).toBe(true)
})
