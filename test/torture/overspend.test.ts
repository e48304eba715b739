import { expect, test } from "bun:test"
import { startSimulator } from "../../simulator/server.ts"
import { parseCredits } from "../../src/ledger/money.ts"
import { databaseOf } from "../../src/store/installation-database.ts"
import { verifyLedgers } from "../../src/ledger/verify/ledgers.ts"
import { sampleOf } from "../support/exhaustive.ts"
import { createInstallation, runJson, startServing } from "../support/process.ts"
import { until } from "../support/until.ts"

const ATTEMPTS = 200
const PAYABLE = 50

/**
 * Returns settings in which every request costs one credit: input is free, and a response has exactly ten tokens at 0.1
 * credits each.
 */
function yamlFor(simulatorUrl: string): string {
  return `
server: { host: 127.0.0.1, port: 0 }
providers:
  sim: { vendor: openai-compatible, api_key: upstream, base_url: "${simulatorUrl}/v1" }
models:
  sim/echo: { price: { input: 0, output: 100000 }, context: 100000, max_output: 10 }
`
}

const PLENTY = "1000"
const MEANS = [
  { name: "credits", credits: String(PAYABLE), budget: [], workers: [1, 2] },
  { name: "a daily budget", credits: PLENTY, budget: ["--daily-budget", PAYABLE], workers: [2] },
]
const TRIALS = MEANS.flatMap(({ workers, ...means }) =>
  workers.map((count) => ({ ...means, workers: count })),
)

for (const { name, credits, budget, workers } of sampleOf(TRIALS, 3, 1)) {
  test.concurrent(`200 simultaneous requests on ${name} do not exceed credits for 50, ${workers} process(es)`, async () => {
    await using simulator = startSimulator()
    using installation = createInstallation(yamlFor(simulator.url))
    const account = await runJson<{ id: string }>(
      installation,
      "account",
      "create",
      "poor",
      "--credits",
      credits,
    )
    const { key } = await runJson<{ key: string }>(
      installation,
      "key",
      "create",
      "--account",
      "poor",
      ...budget.map(String),
    )
    await using serving = await startServing(installation, { TOLLGATE_WORKERS: String(workers) })

    const send = async (): Promise<number> => {
      const response = await fetch(`${serving.url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({
          model: "sim/echo",
          max_tokens: 10,
          messages: [{ role: "user", content: "/tokens 10" }],
        }),
      })
      await response.text()
      return response.status
    }
    const responses = await Promise.all(Array.from({ length: ATTEMPTS }, send))
    const count = (status: number) => responses.filter((response) => response === status).length
    expect(count(200)).toBeLessThanOrEqual(PAYABLE)
    expect(count(200) + count(402) + count(429)).toBe(ATTEMPTS)
    // A process that gets little processor time may reject a request that another process could pay for. A retry
    // succeeds.
    await until(async () => {
      if (count(200) < PAYABLE) responses.push(await send())
      return count(200) === PAYABLE
    })
    expect(await send()).toBeOneOf([402, 429])

    serving.process.kill("SIGTERM")
    expect(await serving.process.exited).toBe(0)
    await using store = await databaseOf(installation).openStore()
    const left = parseCredits(credits) - parseCredits(String(PAYABLE))
    expect((await store.accounts.find(account.id))?.balance).toBe(left)
    expect((await verifyLedgers(store)).problems).toEqual([])
  })
}
