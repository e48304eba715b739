import { expect, test } from "bun:test"
import { APIError, InternalServerError } from "@anthropic-ai/sdk"
import { startSimulator } from "../../simulator/server.ts"
import { asking, eventsOf, post, withClient, type Fields } from "./anthropic-support.ts"
import { testSharedFaults } from "./fault-checks.ts"
import { failureOf } from "./support.ts"

testSharedFaults({
  name: "anthropic-messages",
  ask: (simulator, model, { stream = false, marker = "", headers = {} } = {}) =>
    post(
      simulator,
      asking("one two six ten", { model, stream, metadata: { user_id: marker } }),
      headers,
    ),
})

const STATUSES: [string, number, string][] = [
  ["429", 429, "rate_limit_error"],
  ["500", 500, "api_error"],
  ["503", 529, "overloaded_error"],
  ["401", 401, "authentication_error"],
  ["402", 402, "billing_error"],
  ["404", 404, "not_found_error"],
  ["400-context", 400, "invalid_request_error"],
  ["400-policy", 400, "invalid_request_error"],
]

for (const [name, status, type] of STATUSES) {
  test(`the Anthropic simulator simulates the fault ${name}`, async () => {
    await using simulator = startSimulator()
    for (const stream of [false, true]) {
      const response = await post(simulator, asking("a", { model: `fault-${name}`, stream }))
      expect(response.status).toBe(status)
      expect(response.headers.get("retry-after")).toBe(name === "429" ? "2" : null)
      expect(await response.json()).toMatchObject({ type: "error", error: { type } })
    }
  })
}

test("the Anthropic simulator sends an error event within a stream, which the official client throws", async () => {
  await using simulator = withClient()
  const body = asking("one two six ten", { model: "fault-stream-error", stream: true })
  const events = eventsOf(await (await post(simulator, body)).text())
  expect(events.at(-1)).toMatchObject({
    type: "error",
    error: { details: null, type: "overloaded_error", message: "Overloaded" },
  })
  const streamed = simulator.client.messages.stream(asking("one two", { model: body.model }))
  expect(await failureOf(streamed.finalMessage())).toBeInstanceOf(APIError)
  const overloaded = simulator.client.messages.create(asking("a", { model: "fault-503" }))
  expect(await failureOf(overloaded)).toBeInstanceOf(InternalServerError)
})

test("the Anthropic simulator simulates no-done, no-finish, malformed, comments and crlf in a stream", async () => {
  await using simulator = startSimulator()
  const types = async (fault: string) => {
    const body = asking("one two", { model: `fault-${fault}`, stream: true })
    return eventsOf(await (await post(simulator, body)).text()).map((event) => event.type)
  }
  expect((await types("no-done")).at(-1)).toBe("message_delta")
  expect((await types("no-finish")).at(-1)).toBe("content_block_stop")
  const text = async (fault: string) =>
    (await post(simulator, asking("one", { model: `fault-${fault}`, stream: true }))).text()
  expect(await text("malformed")).toContain('"index":0,"del\n\n')
  expect(await text("comments")).toContain(": PROCESSING\n\n")
  expect((await text("crlf")).replaceAll("\r\n", "")).not.toContain("\n")
})

test("simulated Anthropic usage can be missing, zero or huge", async () => {
  await using simulator = startSimulator()
  const ask = async (fault: string) =>
    (await (await post(simulator, asking("one", { model: `fault-${fault}` }))).json()) as Fields
  expect(await ask("no-usage")).not.toHaveProperty("usage")
  expect(await ask("wrong-usage")).toMatchObject({ usage: { input_tokens: 0, output_tokens: 0 } })
  const { usage } = (await ask("huge-usage")) as { usage: { output_tokens: number } }
  expect(usage.output_tokens).toBeGreaterThan(1_000_000)
  const body = asking("one", { model: "fault-no-usage", stream: true })
  expect(await (await post(simulator, body)).text()).not.toContain('"usage"')
})
