import { DAY_MS } from "../../../contract/durations.ts"
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { MAX_QUANTITY } from "../../../src/accounting/maxima.ts"
import { formatCredits } from "../../../src/ledger/money.ts"
import { verifyLedgers } from "../../../src/ledger/verify/ledgers.ts"
import type { ReceiptRecord } from "../../../src/store/settlements.ts"
import { REPORTS } from "../../http/admin/report-paths.ts"
import { ADMIN_TOKEN, ask, startManaged } from "../../http/admin/support.ts"
import { LEDGERS } from "../../support/databases.ts"
import { simulated, type TestCaller, type TestGateway } from "../../support/gateway.ts"
import { until } from "../../support/until.ts"
import {
  AbsurdProvider,
  absurdProviders,
  CALLS,
  MODELS,
  NUMBERS,
  transcriptionForms,
} from "./absurd-numbers-world.ts"
import { CHAT, HELLO, type Receipt } from "../support.ts"
import { sampleOf } from "../../support/exhaustive.ts"
import { servedTime } from "../../support/served-time.ts"

/**
 * Maximum time in milliseconds until all other charges are on disk. If a batch had to be repeated, it would take ten
 * seconds.
 */
const NORMAL_MS = 5_000

for (const [index, [name, settings]] of Object.entries(LEDGERS).entries()) {
  const numbers = sampleOf(NUMBERS, 9, 3 * index)
  describe(`the gateway on ${name}`, () => {
    const upstream = new AbsurdProvider()
    let gateway: TestGateway
    let caller: TestCaller
    /** Number of the caller's requests that were answered. */
    let answered = 0
    let other: TestCaller
    /** Number of unusual numbers for which another caller's charge had to wait. */
    let slow = 0
    beforeAll(async () => {
      gateway = await startManaged({
        models: { ...MODELS, "sim/echo": simulated() },
        settings: { ...(await settings()), metrics: { host: "", token: ADMIN_TOKEN } },
        providersAt: (url) => {
          upstream.target = url
          return absurdProviders(upstream.url)
        },
      })
      caller = await gateway.caller("100000")
      other = await gateway.caller("100")
    })
    afterAll(async () => {
      await gateway[Symbol.asyncDispose]()
      upstream[Symbol.dispose]()
    })

    test.each(numbers)(
      "charges a response that has %s as every number, and still serves other callers",
      async (number) => {
        upstream.number = number
        const absurd = [
          ...CALLS.map(async ({ path, body }) => {
            const response = await caller.post(path, body)
            const text = await response.text()
            return { path, body: JSON.stringify(body), status: response.status, text }
          }),
          ...transcriptionForms().map(async (form) => {
            const path = "/v1/audio/transcriptions"
            const headers = { authorization: `Bearer ${caller.key}` }
            const response = await fetch(gateway.url + path, {
              method: "POST",
              headers,
              body: form,
            })
            const text = await response.text()
            return { path, body: String(form.get("model")), status: response.status, text }
          }),
        ]
        const innocent = Array.from({ length: 10 }, async () => {
          let status = 0
          const time = await servedTime(async () => {
            const response = await other.post(CHAT, { model: "sim/echo", messages: HELLO })
            await response.text()
            status = response.status
          })
          return { status, isSlow: time > NORMAL_MS }
        })
        const others = await Promise.all(innocent)
        expect(others.filter(({ status }) => status !== 200)).toEqual([])
        if (others.some(({ isSlow }) => isSlow)) slow++
        const responses = await Promise.all(absurd)
        const rejected = responses.filter(
          // A response whose score is not a number cannot be used.
          ({ path, status, text }) =>
            path === "/v1/rerank" && typeof JSON.parse(number) !== "number"
              ? status !== 502
              : status !== 200 || text.includes("error_type"),
        )
        answered += responses.filter(({ status }) => status === 200).length
        expect(rejected.map((one) => ({ ...one, text: one.text.slice(0, 300) }))).toEqual([])
      },
    )

    test("records every charge and serves every report", async () => {
      const filter = { account: caller.account.id, from: 0, until: Date.now() + DAY_MS }
      let receipts: ReceiptRecord[] = []
      await until(async () => {
        const all = await gateway.store.settlements.listReceipts(filter, "", 10_000)
        receipts = all.filter(({ body }) => body.includes('"status":"settled"'))
        return receipts.length >= answered
      })
      expect(receipts).toHaveLength(answered)
      for (const { body, entry } of receipts) {
        const { usage, cost } = JSON.parse(body) as Receipt
        expect(formatCredits(-(entry?.amount ?? 0n))).toBe(cost)
        for (const quantity of Object.values(usage ?? {})) {
          expect(quantity).toBeWithin(0, MAX_QUANTITY + 1)
        }
      }
      // A busy machine may be slow at times.
      expect(slow).toBeLessThan(numbers.length / 2)
      for (const path of REPORTS) {
        const response = await ask(gateway, "GET", path)
        const text = await response.text()
        expect(`${path}: ${response.status} ${response.ok ? "" : text}`).toBe(`${path}: 200 `)
      }
      const headers = { authorization: `Bearer ${ADMIN_TOKEN}` }
      const metrics = await fetch(`${gateway.url}/metrics`, { headers })
      expect(metrics.status).toBe(200)
      expect(await metrics.text()).not.toMatch(/NaN| \+?Inf|Infinity/)
      expect((await verifyLedgers(gateway.store)).problems).toEqual([])
      const troubles = gateway.heard.filter(({ name }) => name === "ledgerFailed")
      expect(troubles).toEqual([])
      const writeOffs = await gateway.store.settlements.listWriteOffs(undefined, null, 10_000)
      expect(writeOffs.filter(({ reason }) => reason !== "usage_beyond_bound")).toEqual([])
      expect(await other.balance()).toBeLessThan(100_000_000_000n)
    })
  })
}
