import { expect, test } from "bun:test"
import { throttled } from "../../src/telemetry/throttle.ts"

test("the same text is logged at most once a minute", () => {
  const told: string[] = []
  let now = 0
  const tell = throttled(
    (text) => void told.push(text),
    () => now,
  )
  for (now = 0; now < 120_000; now += 500) tell("the disk is full")
  expect(told).toEqual(["the disk is full", "the disk is full"])
  tell("something else")
  expect(told).toHaveLength(3)
})
