import { afterAll, beforeAll, expect, test } from "bun:test"
import { provider, simulated, startGateway, type TestGateway } from "../../support/gateway.ts"
import { CHAT, receiptOf } from "../support.ts"

const RESPONSES = "/v1/responses"

let gateway: TestGateway

beforeAll(async () => {
  gateway = await startGateway({
    providersAt: (url) => ({ claude: provider(url, "anthropic") }),
    models: {
      "sim/claude": simulated({
        deployments: [{ provider: "claude", model: "claude-sonnet-4-5", weight: 1 }],
      }),
    },
  })
})

afterAll(() => gateway[Symbol.asyncDispose]())

const said = (role: string, content: string) => ({ role, content })

/** Requests from the first test of the openai client and from Open Responses. Claude must be able to answer them. */
const CASES: readonly [string, string, object][] = [
  ["only a developer message", CHAT, { messages: [said("developer", "Say hi")] }],
  ["an empty question", CHAT, { messages: [said("user", "")] }],
  ["an answer first", CHAT, { messages: [said("assistant", "Hi"), said("user", "And?")] }],
  ["an answer first", RESPONSES, { input: [said("assistant", "Hi"), said("user", "And?")] }],
  ["only instructions", RESPONSES, { input: [said("system", "Say hi")] }],
]

for (const [name, path, body] of CASES) {
  test(`${path}: Claude responses ${name}, and the response is charged`, async () => {
    const caller = await gateway.caller("1")
    const response = await caller.post(path, { model: "sim/claude", ...body })
    expect([response.status, response.ok ? "" : await response.text()]).toEqual([200, ""])
    expect(response.headers.get("x-tollgate-losses")).toContain("messages:approximated")
    await response.body?.cancel()
    expect((await receiptOf(caller, response)).status).toBe("settled")
  })
}
