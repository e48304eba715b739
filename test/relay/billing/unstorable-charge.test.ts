import { SQL } from "bun"
import { expect, test } from "bun:test"
import { verifyLedgers } from "../../../src/ledger/verify/ledgers.ts"
import { asked, startManaged } from "../../http/admin/support.ts"
import { LEDGERS } from "../../support/databases.ts"
import { until } from "../../support/until.ts"
import { CHAT, errorOf, HELLO } from "../support.ts"

/** Makes a server reject the requests of one end user. */
async function rejectUser(url: string, user: string): Promise<void> {
  const sql = new SQL(url, { max: 1 })
  try {
    await sql.unsafe(
      `ALTER TABLE receipts ADD CONSTRAINT accepted CHECK (labels IS NULL OR labels NOT LIKE '%${user}%')`,
    )
  } finally {
    await sql.close({ timeout: 0 })
  }
}

for (const [name, settings] of Object.entries(LEDGERS).slice(1)) {
  const isJournal = name.includes("journal")
  test(`${name} writes off a charge that the database rejects, and charges all other requests`, async () => {
    await using gateway = await startManaged({ settings: await settings() })
    const { database } = gateway.settings
    if (!database) throw new Error("there is no server")
    await rejectUser(database.url, "poison")
    const callers = [await gateway.caller("1"), await gateway.caller("1")]
    const requests = Array.from({ length: 30 }, async (_, index) => {
      const user = index % 10 === 3 ? "poison" : "someone"
      const body = { model: "sim/echo", messages: HELLO, user }
      const response = await callers[index % 2]!.post(CHAT, body)
      const id = response.headers.get("x-request-id") ?? ""
      const error = response.ok ? undefined : await errorOf(response)
      await response.text().catch(() => "")
      return { user, id, status: response.status, message: error?.message ?? "" }
    })
    const responses = await Promise.all(requests)
    const rejected = responses.filter(({ user }) => user === "poison")
    const charged = responses.filter(({ user }) => user !== "poison")
    expect(charged.filter(({ status }) => status !== 200)).toEqual([])
    for (const { status, message } of rejected) {
      expect(status).toBe(isJournal ? 200 : 503)
      if (!isJournal)
        expect(message).toContain("The ledger cannot store the charge for this response")
    }
    const { settlements } = gateway.store
    for (const { id } of responses) {
      await until(async () => (await settlements.findReceipt(id)) !== null)
    }
    for (const { id } of charged) {
      expect((await settlements.findReceipt(id))?.entry).not.toBeNull()
    }
    const list = (await asked(gateway, "GET", "/write-offs")) as { data: { request: string }[] }
    expect(list.data).toHaveLength(rejected.length)
    expect(new Set(list.data.map(({ request }) => request))).toEqual(
      new Set(rejected.map(({ id }) => id)),
    )
    expect(list.data).toMatchObject(rejected.map(() => ({ reason: "unstorable" })))
    for (const event of ["ledgerFailed", "writtenOff"]) {
      expect(gateway.heard.filter((one) => one.name === event)).toHaveLength(rejected.length)
    }
    expect((await fetch(`${gateway.url}/readyz`)).status).toBe(200)
    expect((await verifyLedgers(gateway.store)).problems).toEqual([])
    const receipt = await asked(gateway, "GET", `/receipts/${rejected[0]?.id}`)
    expect(receipt).toMatchObject({ status: "released", charged: "0" })
    expect(receipt).not.toHaveProperty("user")
  })
}
