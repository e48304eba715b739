import { expect, test } from "bun:test"
import { provider, simulated, startGateway } from "../../support/gateway.ts"
import { CHAT, errorOf, HELLO, keptReceiptOf, receiptOf } from "../support.ts"

test("operators, but not callers, see why a connection to a provider failed", async () => {
  // This server accepts connections and never answers.
  using silent = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } })
  await using gateway = await startGateway({
    providers: {
      closed: provider("http://127.0.0.1:1/v1?key=query-secret"),
      unknown: provider("https://no-such-host.invalid/v1"),
      silent: provider(`http://127.0.0.1:${silent.port}/v1`),
    },
    models: { "closed/m": simulated(), "unknown/m": simulated(), "silent/m": simulated() },
  })
  const { settings } = gateway
  const caller = await gateway.caller("1")
  for (const [model, outcome, phase, code, words] of [
    ["closed/m", "upstream_error", "connect", "ECONNREFUSED", "the connection was refused"],
    ["unknown/m", "upstream_error", "resolve", "ENOTFOUND", "no-such-host.invalid"],
    ["silent/m", "upstream_timeout", "first_byte", "ETIMEDOUT", "the first byte"],
  ] as const) {
    // Only the silent server must exceed the limit. On a busy machine, the other failures take time, too.
    const firstByte = outcome === "upstream_timeout" ? 300 : settings.timeouts.firstByte
    await gateway.app.apply({ ...settings, timeouts: { ...settings.timeouts, firstByte } })
    const response = await caller.post(CHAT, { model, messages: HELLO })
    const shown = await receiptOf(caller, response)
    const error = await errorOf(response)
    expect(error.error_type).toBe(outcome)
    expect(JSON.stringify([shown, error])).not.toMatch(/ECONN|ENOTFOUND|no-such-host|127\.0\.0\.1/)

    const logged = gateway.heard.find(
      ({ name, facts }) => name === "attemptFailed" && facts[0] === shown.id,
    )
    expect(logged?.facts[2]).toMatchObject({
      outcome,
      status: 0,
      phase,
      code,
      cause: expect.stringContaining(words),
    })
    const kept = JSON.stringify(keptReceiptOf(gateway, shown.id)?.attempts[0])
    expect(kept).toContain(words)
    expect(kept).toContain(code)
    expect(kept).not.toContain("query-secret")
  }
})
