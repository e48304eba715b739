import { expect, test } from "bun:test"
import { Pulse, readPulse } from "../../../src/relay/lifetime/event-loop-monitor.ts"

test("says what the loop turned to last, by the request's names", () => {
  const pulse = new Pulse()
  const first = pulse.enter("req_1", "/v1/chat/completions", "openai/gpt")
  expect(readPulse(pulse.memory)).toMatchObject({
    request: "req_1",
    endpoint: "/v1/chat/completions",
    model: "openai/gpt",
    phase: "decoding the request",
  })
  pulse.enter("req_2", "/v1/messages", { not: "a name" })
  expect(readPulse(pulse.memory)).not.toHaveProperty("model")
  pulse.turnTo(first, 2)
  expect(readPulse(pulse.memory)).toMatchObject({ request: "req_1", phase: "reading the answer" })
  expect(readPulse(pulse.memory).beats).toBe(0)
  pulse.beat()
  expect(readPulse(pulse.memory)).toEqual({ beats: 1, rests: false, isEnding: false })
})

test("keeps to its memory, whatever names are, and forgets the oldest", () => {
  const pulse = new Pulse()
  const first = pulse.enter("req_1", "/v1/chat/completions", `x/${"ü".repeat(10_000)}`)
  expect(readPulse(pulse.memory).model).toStartWith("x/üü")
  pulse.enter("req_2", "/v1/chat/completions", "a name with spaces\n")
  expect(readPulse(pulse.memory)).toMatchObject({ request: "req_2", model: "a name with spaces" })
  for (let count = 0; count < 5_000; count++) pulse.enter(`req_${count}`, "/v1/rerank", "m/n")
  expect(readPulse(pulse.memory).request).toBe("req_4999")
  pulse.turnTo(first, 1)
  expect(readPulse(pulse.memory)).not.toHaveProperty("request")
})

test("says when no one has to watch, and when a new start is not wanted", () => {
  const pulse = new Pulse()
  pulse.end()
  pulse.rest()
  expect(readPulse(pulse.memory)).toMatchObject({ isEnding: true, rests: true })
})
