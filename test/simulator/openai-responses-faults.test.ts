import { expect, test } from "bun:test"
import { APIError } from "openai"
import { startSimulator } from "../../simulator/server.ts"
import { testSharedFaults } from "./fault-checks.ts"
import { asking, eventsOf, post, type Fields } from "./responses-support.ts"
import { failureOf, withSimulator } from "./support.ts"

testSharedFaults({
  name: "openai-responses",
  ask: (simulator, model, { stream = false, marker = "", headers = {} } = {}) =>
    post(simulator, asking("one two six ten", { model, stream, user: marker }), headers),
})

const STATUSES: [string, number, string | null][] = [
  ["429", 429, "rate_limit_exceeded"],
  ["500", 500, null],
  ["503", 503, null],
  ["401", 401, "invalid_api_key"],
  ["402", 402, "invalid_request_error"],
  ["404", 400, "model_not_found"],
  ["400-context", 400, "context_length_exceeded"],
  ["400-policy", 400, "invalid_prompt"],
]

for (const [name, status, code] of STATUSES) {
  test(`the Responses simulator simulates the fault ${name}`, async () => {
    await using simulator = startSimulator()
    for (const stream of [false, true]) {
      const response = await post(simulator, asking("a", { model: `fault-${name}`, stream }))
      expect(response.status).toBe(status)
      expect(response.headers.get("retry-after")).toBe(name === "429" ? "2" : null)
      expect(await response.json()).toMatchObject({ error: { code } })
    }
  })
}

test("the Responses simulator sends an error within a stream, followed by response.failed", async () => {
  await using simulator = withSimulator()
  const body = asking("one two six ten", { model: "fault-stream-error" })
  const streamed = await post(simulator, { ...body, stream: true })
  const events = eventsOf(await streamed.text())
  expect(events.at(-2)).toMatchObject({
    type: "error",
    error: { type: "server_error", code: "server_error", param: null },
  })
  expect(events.at(-1)).toMatchObject({
    type: "response.failed",
    response: { status: "failed", error: { code: "server_error" }, output: [] },
  })
  const client = await simulator.client.responses.create({
    model: body.model,
    input: "one two",
    stream: true,
  })
  expect(await failureOf(Array.fromAsync(client))).toBeInstanceOf(APIError)
  const whole = (await (await post(simulator, body)).json()) as Fields
  expect(whole).toMatchObject({ status: "failed", error: { code: "server_error" } })
})

test("the Responses simulator simulates no-done, no-finish, malformed, comments and crlf in a stream", async () => {
  await using simulator = startSimulator()
  const text = async (fault: string) =>
    (await post(simulator, asking("one two", { model: `fault-${fault}`, stream: true }))).text()
  for (const fault of ["no-done", "no-finish"]) {
    expect(eventsOf(await text(fault)).at(-1)?.type).toBe("response.output_item.done")
  }
  expect(await text("malformed")).toContain('"content_in\n\n')
  expect(await text("comments")).toContain(": PROCESSING\n\n")
  const crlf = await text("crlf")
  expect(crlf.replaceAll("\r\n", "")).not.toContain("\n")
  expect(eventsOf(crlf).at(-1)?.type).toBe("response.completed")
})

test("simulated Responses usage can be missing, zero or huge", async () => {
  await using simulator = startSimulator()
  const ask = async (fault: string) =>
    (await (await post(simulator, asking("one", { model: `fault-${fault}` }))).json()) as Fields
  expect(await ask("no-usage")).toMatchObject({ usage: null })
  expect(await ask("wrong-usage")).toMatchObject({ usage: { total_tokens: 0 } })
  const { usage } = (await ask("huge-usage")) as { usage: { output_tokens: number } }
  expect(usage.output_tokens).toBeGreaterThan(1_000_000)
})
