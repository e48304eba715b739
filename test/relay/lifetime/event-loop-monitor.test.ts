import { expect, test } from "bun:test"
import { EventLoopMonitor, readEventLoop } from "../../../src/relay/lifetime/event-loop-monitor.ts"

test("the event-loop monitor reports the most recently entered request and its names", () => {
  const monitor = new EventLoopMonitor()
  const first = monitor.enter("req_1", "/v1/chat/completions", "openai/gpt")
  expect(readEventLoop(monitor.memory)).toMatchObject({
    request: "req_1",
    endpoint: "/v1/chat/completions",
    model: "openai/gpt",
    phase: "decoding the request",
  })
  monitor.enter("req_2", "/v1/messages", { not: "a name" })
  expect(readEventLoop(monitor.memory)).not.toHaveProperty("model")
  monitor.turnTo(first, 2)
  expect(readEventLoop(monitor.memory)).toMatchObject({
    request: "req_1",
    phase: "reading the response",
  })
  expect(readEventLoop(monitor.memory).beats).toBe(0)
  monitor.beat()
  expect(readEventLoop(monitor.memory)).toEqual({ beats: 1, rests: false, isEnding: false })
})

test("the event-loop monitor shortens long names, and replaces its oldest entry", () => {
  const monitor = new EventLoopMonitor()
  const first = monitor.enter("req_1", "/v1/chat/completions", `x/${"ü".repeat(10_000)}`)
  expect(readEventLoop(monitor.memory).model).toStartWith("x/üü")
  monitor.enter("req_2", "/v1/chat/completions", "a name with spaces\n")
  expect(readEventLoop(monitor.memory)).toMatchObject({
    request: "req_2",
    model: "a name with spaces",
  })
  for (let count = 0; count < 5_000; count++) monitor.enter(`req_${count}`, "/v1/rerank", "m/n")
  expect(readEventLoop(monitor.memory).request).toBe("req_4999")
  monitor.turnTo(first, 1)
  expect(readEventLoop(monitor.memory)).not.toHaveProperty("request")
})

test("the event-loop monitor reports an idle event loop and a shutdown", () => {
  const monitor = new EventLoopMonitor()
  monitor.end()
  monitor.rest()
  expect(readEventLoop(monitor.memory)).toMatchObject({ isEnding: true, rests: true })
})
