import { expect, test } from "bun:test"
import { startSimulator } from "../../simulator/server.ts"
import { asking, eventsOf, framesOf, post, type Fields } from "./bedrock-support.ts"
import { testSharedFaults } from "./fault-checks.ts"

testSharedFaults({
  name: "bedrock-converse",
  ask: (simulator, model, { stream = false, marker = "", headers = {} } = {}) =>
    post(simulator, asking("one two six ten", { requestMetadata: { user: marker } }), {
      model,
      stream,
      headers,
    }),
})

const STATUSES: [string, number, string][] = [
  ["429", 429, "ThrottlingException"],
  ["500", 500, "InternalServerException"],
  ["503", 503, "ServiceUnavailableException"],
  ["401", 403, "UnrecognizedClientException"],
  ["402", 403, "AccessDeniedException"],
  ["404", 404, "ResourceNotFoundException"],
  ["400-context", 400, "ValidationException"],
  ["400-policy", 400, "ValidationException"],
]

for (const [name, status, type] of STATUSES) {
  test(`the Bedrock simulator simulates the fault ${name}`, async () => {
    await using simulator = startSimulator()
    for (const stream of [false, true]) {
      const response = await post(simulator, asking("a"), { model: `fault-${name}`, stream })
      expect(response.status).toBe(status)
      expect(response.headers.get("retry-after")).toBe(name === "429" ? "2" : null)
      expect(response.headers.get("x-amzn-errortype")).toStartWith(`${type}:`)
      expect(await response.json()).toHaveProperty("message")
    }
  })
}

function streamed(fault: string, text = "one two six ten"): Promise<Response> {
  const simulator = startSimulator()
  const asked = post(simulator, asking(text), { model: `fault-${fault}`, stream: true })
  return asked.then(async (response) => {
    const bytes = await response.arrayBuffer()
    await simulator.stop()
    return new Response(bytes, response)
  })
}

test("the Bedrock simulator sends an error within a stream as an exception frame", async () => {
  const frames = framesOf(await (await streamed("stream-error")).arrayBuffer())
  expect(frames.at(-1)).toEqual({
    headers: {
      ":exception-type": "internalServerException",
      ":content-type": "application/json",
      ":message-type": "exception",
    },
    payload: JSON.stringify({
      message:
        "The system encountered an unexpected error during processing. Try your request again.",
    }),
  })
  expect(frames).toHaveLength(5)
})

test("the Bedrock simulator simulates no-done, no-finish, comments, crlf and malformed in a stream", async () => {
  const names = async (fault: string) =>
    (await eventsOf(await streamed(fault))).map(({ event }) => event)
  expect((await names("no-done")).at(-1)).toBe("messageStop")
  expect((await names("no-finish")).at(-1)).toBe("contentBlockStop")
  expect(await names("comments")).toContain("keepAlive")
  expect(await names("crlf")).not.toContain("keepAlive")
  const broken = framesOf(await (await streamed("malformed")).arrayBuffer())
  expect(broken.filter(({ payload }) => !payload.endsWith("}"))).toHaveLength(1)
})

test("the Bedrock simulator sends the first frame completely with the fault slow-first-byte", async () => {
  expect((await eventsOf(await streamed("slow-first-byte-20")))[0]?.event).toBe("messageStart")
})

test("simulated Bedrock usage can be missing, zero or huge", async () => {
  await using simulator = startSimulator()
  const ask = async (fault: string) =>
    (await (await post(simulator, asking("one"), { model: `fault-${fault}` })).json()) as Fields
  expect(await ask("no-usage")).not.toHaveProperty("usage")
  expect(await ask("wrong-usage")).toMatchObject({ usage: { totalTokens: 0 } })
  const { usage } = (await ask("huge-usage")) as { usage: { outputTokens: number } }
  expect(usage.outputTokens).toBeGreaterThan(1_000_000)
  const events = await eventsOf(await streamed("no-usage"))
  expect(events.at(-1)).not.toHaveProperty("usage")
})
