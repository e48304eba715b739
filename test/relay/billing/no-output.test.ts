import { expect, test } from "bun:test"
import { sixUpstreams, modelAt, UPSTREAMS } from "../../clients/matrix/six-upstreams.ts"
import { CHAT, HELLO } from "../support.ts"

const upstreams = sixUpstreams()

interface Told {
  readonly usage: Readonly<Record<string, number>>
}

test.each(UPSTREAMS)(
  "a message with max_tokens 0 only fills the cache, or gets the minimum output limit: %s",
  async (upstream) => {
    const order = { model: modelAt(upstream), max_tokens: 0, messages: HELLO }
    const response = await upstreams.caller.post("/v1/messages", order)
    expect(response.status).toBe(200)
    const { usage } = (await response.json()) as Told
    const losses = response.headers.get("x-tollgate-losses")
    if (upstream === "anthropic-messages") {
      expect([usage["output_tokens"], losses]).toEqual([0, null])
      expect(upstreams.sent).toMatchObject({ max_tokens: 0 })
    } else {
      expect(usage["output_tokens"]).toBeGreaterThan(0)
      expect(losses?.split(", ").filter((loss) => loss.startsWith("max_tokens"))).toEqual([
        "max_tokens:approximated",
      ])
    }
  },
)

test.each(["openai-chat", "anthropic-messages"] as const)(
  "a completion with max_completion_tokens 0 gets the minimum output limit: %s",
  async (upstream) => {
    const order = { model: modelAt(upstream), max_completion_tokens: 0, messages: HELLO }
    const response = await upstreams.caller.post(CHAT, order)
    expect(response.status).toBe(200)
    const { usage } = (await response.json()) as Told
    expect(usage["completion_tokens"]).toBe(upstream === "openai-chat" ? 1 : 0)
  },
)

test("the vendor's minimum output is charged even if the caller requested no output", async () => {
  const order = { model: modelAt("openai-chat"), max_tokens: 0, messages: HELLO }
  const before = await upstreams.caller.balance()
  const response = await upstreams.caller.post("/v1/messages", order)
  const { usage } = (await response.json()) as Told
  const cost =
    1_000n * BigInt(usage["input_tokens"] ?? 0) + 2_000n * BigInt(usage["output_tokens"] ?? 0)
  expect(usage["output_tokens"]).toBe(1)
  expect(before - (await upstreams.caller.balance())).toBe(cost)
})
