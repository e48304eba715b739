import { expect, test } from "bun:test"
import { databaseOf } from "../../src/store/installation-database.ts"
import { verifyLedgers } from "../../src/ledger/verify/ledgers.ts"
import {
  DONE,
  frame,
  startVendor,
  streamed,
  usageFrame,
  wholeResponse,
} from "../relay/scripted-vendor.ts"
import { IS_EXHAUSTIVE } from "../support/exhaustive.ts"
import { createInstallation, type ServingProcess, startServing } from "../support/process.ts"
import { until } from "../support/until.ts"
import { chargesOf, newKey, type Order, send, yamlFor } from "./idempotency-world.ts"

/** Returns the kind of a request. Every second request is streamed. */
function kindOf(idempotencyKey: string): Pick<Order, "model" | "stream"> {
  return /[02468]$/.test(idempotencyKey) ? { model: "streaming/x", stream: true } : {}
}

const ROUNDS = IS_EXHAUSTIVE ? 5 : 2
const CALLERS = 16

/** Sends requests with the same key until there is a complete response. It must be charged once in every case. */
async function askUntilAnswered(
  serving: () => ServingProcess,
  order: Order,
): Promise<{ status: number; id: string }> {
  for (;;) {
    try {
      const response = await send(serving(), order)
      const text = await response.text()
      const isWhole = order.stream ? text.endsWith(DONE) : text.endsWith("}")
      const id = response.headers.get("x-request-id") ?? ""
      if (response.status === 409) {
        return { status: 409, id: JSON.parse(text).error.original_request_id as string }
      }
      if (response.ok && isWhole) return { status: 200, id }
    } catch {
      // The gateway has died. The next attempt is answered by another process.
    }
    await Bun.sleep(10)
  }
}

test.concurrent("repeated kill -9 during requests leaves at most one charge per idempotency key", async () => {
  using streaming = startVendor(() =>
    streamed([frame("one "), 5, frame("two "), 5, frame("", "stop"), usageFrame(10, 1), DONE]),
  )
  using plain = startVendor(async () => {
    await Bun.sleep(5)
    return Response.json(wholeResponse())
  })
  const more = `
  streaming: { vendor: openai-compatible, api_key: upstream, base_url: "${streaming.url}" }
models:
  streaming/x: { price: { input: 1, output: 2 }, context: 100000, max_output: 1000 }`
  using installation = createInstallation(yamlFor(plain.url).replace("\nmodels:", more))
  const { key, account } = await newKey(installation)
  let serving = await startServing(installation)
  const over = new AbortController()
  const outcomes = new Map<string, { status: number; id: string }>()
  let number = 0
  const caller = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const idempotencyKey = `key ${number++}`
      const order = { key, idempotencyKey, ...kindOf(idempotencyKey) }
      outcomes.set(idempotencyKey, await askUntilAnswered(() => serving, order))
    }
  }
  const callers = Array.from({ length: CALLERS }, caller)
  for (let round = 0; round < ROUNDS; round++) {
    const enough = outcomes.size + 100
    await until(() => outcomes.size >= enough)
    serving.process.kill("SIGKILL")
    await serving.process.exited
    serving = await startServing(installation)
  }
  over.abort()
  await Promise.all(callers)
  // Each key is used once more. The response must be the same, or state the same outcome.
  for (const [idempotencyKey, { status, id }] of outcomes) {
    const response = await send(serving, { key, idempotencyKey, ...kindOf(idempotencyKey) })
    await response.text()
    if (status === 200) expect(response.headers.get("x-request-id")).toBe(id)
    else expect(response.status).toBe(409)
  }
  serving.process.kill("SIGTERM")
  await serving.process.exited
  const charges = await chargesOf(installation, account)
  const ids = [...outcomes.values()].map(({ id }) => id)
  expect(new Set(charges)).toEqual(new Set(ids))
  expect(charges).toHaveLength(outcomes.size)
  await using store = await databaseOf(installation).openStore()
  expect((await verifyLedgers(store)).problems).toEqual([])
})

const ADMIN = "admin-token-for-tests"

/** Grants one credit with a key until there is a response. */
async function grantOnce(
  serving: () => ServingProcess,
  account: string,
  idempotencyKey: string,
): Promise<void> {
  for (;;) {
    try {
      const response = await fetch(`${serving().url}/admin/v1/accounts/${account}/entries`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${ADMIN}`,
          "content-type": "application/json",
          "idempotency-key": idempotencyKey,
        },
        body: JSON.stringify({ kind: "grant", amount: "1", note: idempotencyKey }),
        keepalive: false,
      })
      await response.text()
      if (response.ok || response.status === 409) return
    } catch {
      // The gateway has died. The next attempt is answered by another process.
    }
    await Bun.sleep(10)
  }
}

test.concurrent("kill -9 between grants leaves one entry per idempotency key", async () => {
  using vendor = startVendor(() => Response.json(wholeResponse()))
  using installation = createInstallation(`admin_token: ${ADMIN}\n${yamlFor(vendor.url)}`)
  const { account } = await newKey(installation)
  let serving = await startServing(installation)
  const over = new AbortController()
  let number = 0
  let granted = 0
  const granter = async (): Promise<void> => {
    while (!over.signal.aborted) {
      await grantOnce(() => serving, account, `grant ${number++}`)
      granted++
    }
  }
  const granters = Array.from({ length: CALLERS }, granter)
  for (let round = 0; round < ROUNDS; round++) {
    const enough = granted + 50
    await until(() => granted >= enough)
    serving.process.kill("SIGKILL")
    await serving.process.exited
    serving = await startServing(installation)
  }
  over.abort()
  await Promise.all(granters)
  serving.process.kill("SIGTERM")
  await serving.process.exited
  await using store = await databaseOf(installation).openStore()
  const entries = await store.entries.list(account, 0, 100_000)
  const notes = entries.flatMap(({ note }) => (note?.startsWith("grant ") ? [note] : []))
  expect(new Set(notes).size).toBe(notes.length)
  expect(notes).toHaveLength(number)
})
