import { expect, test } from "bun:test"
import { cpSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { databaseFileIn } from "../../../src/store/sqlite/database-file.ts"
import { provider, simulated, startGateway, type TestGateway } from "../../support/gateway.ts"
import { startVendor, wholeResponse } from "../scripted-vendor.ts"
import { CHAT, errorOf, HELLO } from "../support.ts"
import { until } from "../../support/until.ts"

const BODY = { model: "sim/echo", messages: HELLO }

function heard(gateway: TestGateway, name: string): readonly unknown[] {
  return gateway.heard.filter((one) => one.name === name)
}

async function readiness(gateway: TestGateway): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${gateway.url}/readyz`)
  return { status: response.status, body: await response.json() }
}

for (const isShared of [false, true]) {
  const way = isShared ? "on a thread" : "alone"

  test(`requests are rejected while the ledger file is missing, ${way}`, async () => {
    await using gateway = await startGateway({ isShared })
    const caller = await gateway.caller("1")
    expect((await caller.post(CHAT, BODY)).status).toBe(200)
    const path = databaseFileIn(gateway.settings.data)
    renameSync(path, `${path}.away`)
    await until(async () => (await readiness(gateway)).status === 503)
    const rejected = await caller.post(CHAT, BODY)
    expect(rejected.status).toBe(503)
    expect(await errorOf(rejected)).toMatchObject({ error_type: "ledger_unavailable" })
    expect(heard(gateway, "ledgerUnavailable")).toHaveLength(1)
    renameSync(`${path}.away`, path)
    await until(async () => (await readiness(gateway)).status === 200)
    expect((await caller.post(CHAT, BODY)).status).toBe(200)
    expect(heard(gateway, "ledgerAvailable")).toHaveLength(1)
  })

  test(`a running request gets no complete response if the ledger has been deleted, ${way}`, async () => {
    const gate = Promise.withResolvers<Response>()
    using vendor = startVendor(() => gate.promise)
    await using gateway = await startGateway({
      isShared,
      providers: { late: provider(vendor.url) },
      models: { "late/echo": simulated() },
    })
    const caller = await gateway.caller("1")
    expect((await caller.post(CHAT, BODY)).status).toBe(200)
    const running = caller.post(CHAT, { ...BODY, model: "late/echo" })
    await until(() => vendor.bodies.length === 1)
    for (const end of ["", "-wal", "-shm"]) {
      rmSync(`${join(gateway.settings.data, "tollgate.db")}${end}`)
    }
    await until(() => heard(gateway, "ledgerUnavailable").length === 1)
    gate.resolve(Response.json(wholeResponse()))
    expect((await running).status).toBeGreaterThanOrEqual(500)
  })
}

test("requests are rejected if the ledger was replaced, or if its log or log index is missing", async () => {
  for (const replace of [
    (path: string) => {
      cpSync(path, `${path}.copy`)
      renameSync(`${path}.copy`, path)
    },
    (path: string) => rmSync(`${path}-wal`),
    (path: string) => rmSync(`${path}-shm`),
  ]) {
    await using gateway = await startGateway()
    const caller = await gateway.caller("1")
    replace(databaseFileIn(gateway.settings.data))
    await until(async () => (await caller.post(CHAT, BODY)).status === 503)
    expect((await readiness(gateway)).body).toMatchObject({
      reason: "the ledger cannot be written",
    })
  }
})
