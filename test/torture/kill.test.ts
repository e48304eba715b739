import { expect, test } from "bun:test"
import type { CallerReceipt } from "tollgate-contract/receipts.ts"
import { startSimulator } from "../../simulator/server.ts"
import { restoreReceipt } from "../../src/accounting/stored-receipt.ts"
import { databaseOf } from "../../src/store/installation-database.ts"
import { verifyLedgers } from "../../src/ledger/verify/ledgers.ts"
import { IS_EXHAUSTIVE } from "../support/exhaustive.ts"
import { createInstallation, type Installation, runJson, startServing } from "../support/process.ts"
import { until } from "../support/until.ts"

const ROUNDS = IS_EXHAUSTIVE ? 4 : 2
const CALLERS = 24
const CREDITS = "1000"
/** While requests are running, the next term of the price group begins. */
const INCREASE_FROM = new Date(Date.now() + 1_000).toISOString()

function yamlFor(simulatorUrl: string, port: number): string {
  return `
server: { host: 127.0.0.1, port: ${port} }
providers:
  sim: { vendor: openai-compatible, api_key: upstream, base_url: "${simulatorUrl}/v1" }
models:
  sim/echo: { price: { input: 1, output: 2 }, context: 100000, max_output: 1000 }
price_groups:
  tortured: { terms: [{ from: 2020-01-01, multiplier: 0.5 }, { from: "${INCREASE_FROM}", multiplier: 3 }] }
account_templates:
  tortured: { price_group: tortured }
`
}

/** Sends requests until the gateway dies, and records the ids of the complete responses. */
async function callUntilDead(url: string, key: string, stream: boolean, whole: string[]) {
  for (;;) {
    try {
      const response = await fetch(`${url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({
          model: "sim/echo",
          stream,
          messages: [{ role: "user", content: "one two three four five six seven eight" }],
        }),
      })
      const text = await response.text()
      if (!response.ok) throw new Error(text)
      const isWhole = stream ? text.endsWith("data: [DONE]\n\n") : text.endsWith("}")
      if (isWhole) whole.push(response.headers.get("x-request-id") ?? "")
    } catch {
      return
    }
  }
}

/** Checks that a charge is the sum of its receipt's lines times the multiplier of the term that the receipt names. */
function paidByTerm(text: string, amount: bigint): string {
  const stored = JSON.parse(text) as Record<string, unknown>
  const { price, arithmetic } = restoreReceipt(stored) as unknown as CallerReceipt
  const multiplier = price?.group?.from === INCREASE_FROM ? "3" : "0.5"
  expect(price).toMatchObject({ multiplier, group: { id: "tortured", multiplier } })
  // One credit per million tokens is a thousand nanocredits per token.
  const whole = (arithmetic ?? []).reduce(
    (sum, line) => sum + BigInt(line.quantity) * 1_000n * BigInt(line.per_million),
    0n,
  )
  expect(-amount).toBe(multiplier === "3" ? 3n * whole : whole / 2n)
  return multiplier
}

async function round(
  installation: Installation,
  key: string,
  whole: string[],
  isLast: boolean,
): Promise<void> {
  await using serving = await startServing(installation)
  const callers = Array.from({ length: CALLERS }, (_, index) =>
    callUntilDead(serving.url, key, index % 2 === 0, whole),
  )
  if (isLast) await until(() => Date.now() > Date.parse(INCREASE_FROM))
  const enough = whole.length + 150
  await until(() => whole.length >= enough)
  serving.process.kill("SIGKILL")
  await Promise.all([...callers, serving.process.exited])
}

test("kill -9 under load leaves no whole response that is unpaid or paid twice, and the ledger balances", async () => {
  await using simulator = startSimulator()
  using installation = createInstallation(yamlFor(simulator.url, 0))
  const account = await runJson<{ id: string }>(
    installation,
    "account",
    "create",
    "tortured",
    "--credits",
    CREDITS,
    "--template",
    "tortured",
  )
  const { key } = await runJson<{ key: string }>(
    installation,
    "key",
    "create",
    "--account",
    "tortured",
  )
  const whole: string[] = []
  for (let number = 0; number < ROUNDS; number++) {
    await round(installation, key, whole, number === ROUNDS - 1)
  }

  await using store = await databaseOf(installation).openStore()
  expect(new Set(whole).size).toBe(whole.length)
  let seen = 0n
  const multipliers = new Set<string>()
  for (const request of whole) {
    const receipt = await store.settlements.findReceipt(request)
    expect(receipt?.entry?.kind).toBe("charge")
    expect(receipt?.entry?.request).toBe(request)
    seen -= receipt?.entry?.amount ?? 0n
    multipliers.add(paidByTerm(receipt?.body ?? "{}", receipt?.entry?.amount ?? 0n))
  }
  expect(multipliers).toContain("3")
  expect(seen).toBeGreaterThan(0n)
  const verdict = await verifyLedgers(store)
  expect(verdict.problems).toEqual([])
  const charges = (await store.entries.list(account.id, 0, 1_000_000)).filter(
    (entry) => entry.kind === "charge",
  )
  expect(new Set(charges.map((entry) => entry.request)).size).toBe(charges.length)
  expect(charges.length).toBeGreaterThanOrEqual(whole.length)

  // A new process takes back the leases of the dead process, so all credits can be spent again.
  await using serving = await startServing(installation)
  const response = await fetch(`${serving.url}/v1/credits`, {
    headers: { authorization: `Bearer ${key}` },
  })
  const credits = (await response.json()) as { balance: string; held: string; available: string }
  expect(credits.available).toBe(credits.balance)
  serving.process.kill("SIGTERM")
  expect(await serving.process.exited).toBe(0)
  const after = await store.accounts.find(account.id)
  expect(after?.leased).toBe(0n)
})
