import { expect, test } from "bun:test"
import { auditPage } from "tollgate-contract/operations.ts"
import { keyPage } from "tollgate-contract/keys.ts"
import { receipt, requestPage } from "tollgate-contract/receipts.ts"
import { overview, usage } from "tollgate-contract/usage.ts"
import { simulated } from "../../support/gateway.ts"
import { ask, asked, errorOf, startManaged } from "./support.ts"
import { until } from "../../support/until.ts"

test("a request appears in the list, in the sums, at its key, and opens its receipt", async () => {
  await using gateway = await startManaged()
  const caller = await gateway.caller("1")
  const answer = await caller.post("/v1/chat/completions", {
    model: "sim/echo",
    messages: [{ role: "user", content: "hello" }],
  })
  const id = answer.headers.get("x-request-id") ?? ""
  await answer.body?.cancel()

  const page = requestPage.parse(await asked(gateway, "GET", "/receipts"))
  expect(page.data).toHaveLength(1)
  const [request] = page.data
  expect(request).toMatchObject({
    id,
    account: caller.account.id,
    key: caller.keyId,
    key_name: "test",
    model: "sim/echo",
    outcome: "ok",
    status: "settled",
  })

  const shown = receipt.parse(await asked(gateway, "GET", `/receipts/${id}`))
  expect(shown).toMatchObject({ id, cost: request?.cost, content: null })

  const first = overview.parse(await asked(gateway, "GET", "/usage/overview"))
  expect(first).toMatchObject({ requests_today: 1, spent_today: request?.cost })
  const from = new Date(Date.now() - 3_600_000).toISOString()
  const to = new Date(Date.now() + 3_600_000).toISOString()
  const sums = usage.parse(await asked(gateway, "GET", `/usage?from=${from}&to=${to}&group=key`))
  expect(sums.data).toMatchObject([{ group: caller.keyId, name: "test", cost: request?.cost }])

  const keys = keyPage.parse(await asked(gateway, "GET", `/keys?account=${caller.account.id}`))
  expect(keys.data).toMatchObject([{ id: caller.keyId, spent: request?.cost }])
  expect(keys.data[0]?.last_used_at).toBe(request?.at ?? "")
})

test("a request that fails says how, and costs nothing", async () => {
  const failing = simulated({ deployments: [{ provider: "sim", model: "fault-503", weight: 1 }] })
  await using gateway = await startManaged({ models: { "sim/failing": failing } })
  const caller = await gateway.caller("1")
  const body = { model: "sim/failing", messages: [{ role: "user", content: "hello" }] }
  const answer = await caller.post("/v1/chat/completions", body)
  expect(answer.status).toBe(503)
  await answer.body?.cancel()
  // No one waits until the release is written.
  const failed = async () =>
    requestPage.parse(await asked(gateway, "GET", "/receipts?status=failed")).data
  await until(async () => (await failed()).length > 0)
  expect(await failed()).toMatchObject([
    {
      id: answer.headers.get("x-request-id"),
      status: "released",
      outcome: "upstream_overloaded",
      provider: "sim",
      cost: "0",
    },
  ])
  const page = await asked(gateway, "GET", "/receipts?status=ok")
  expect(requestPage.parse(page).data).toEqual([])
})

test("what is asked wrongly is reported with its field", async () => {
  await using gateway = await startManaged()
  const cases = [
    ["/receipts?limit=0", "limit", "below_min_value"],
    ["/receipts?status=maybe", "status", "invalid_value"],
    ["/receipts?from=yesterday", "from", "invalid_value"],
    ["/receipts?cursor=abc", "cursor", "invalid_value"],
    ["/receipts?colour=red", "colour", "invalid_value"],
    ["/usage", "from", "missing_required_parameter"],
    ["/usage?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z", "to", "invalid_value"],
    ["/usage/overview?day=1", "day", "invalid_value"],
    ["/audit?limit=1000", "limit", "above_max_value"],
  ] as const
  for (const [path, param, kind] of cases) {
    const response = await ask(gateway, "GET", path)
    expect([path, response.status]).toEqual([path, 400])
    expect(await errorOf(response)).toMatchObject({ param, error_type: kind })
  }
  const missing = await ask(gateway, "GET", "/receipts/req_nothing")
  expect(missing.status).toBe(404)
})

test("a change of the API is in the audit log, with who made it and from where", async () => {
  await using gateway = await startManaged()
  await asked(gateway, "POST", "/accounts", { name: "Analytics", credits: "5" })
  const page = auditPage.parse(await asked(gateway, "GET", "/audit?action=account.*"))
  const created = page.data.find(({ action }) => action === "account.create")
  expect(created).toMatchObject({
    actor: { kind: "admin_token", id: null, name: "admin token" },
    after: { name: "Analytics" },
    address: "127.0.0.1",
  })
})
