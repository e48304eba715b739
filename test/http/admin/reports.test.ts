import { expect, test } from "bun:test"
import { auditPage } from "tollgate-contract/operations.ts"
import { keyPage } from "tollgate-contract/keys.ts"
import { receipt, requestPage } from "tollgate-contract/receipts.ts"
import { overview, usage } from "tollgate-contract/usage.ts"
import { simulated } from "../../support/gateway.ts"
import { ask, asked, errorOf, startManaged } from "./support.ts"
import { until } from "../../support/until.ts"

test("a request appears in the request list, the totals, the key's usage and a receipt", async () => {
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

test("the request list shows a failed request with its error and without a cost", async () => {
  const failing = simulated({ deployments: [{ provider: "sim", model: "fault-503", weight: 1 }] })
  await using gateway = await startManaged({ models: { "sim/failing": failing } })
  const caller = await gateway.caller("1")
  const body = { model: "sim/failing", messages: [{ role: "user", content: "hello" }] }
  const answer = await caller.post("/v1/chat/completions", body)
  expect(answer.status).toBe(503)
  await answer.body?.cancel()
  // The release is written after the response, so the test waits for it.
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

test("invalid report parameters are rejected with the name of the field", async () => {
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

test("the audit log records who made a change through the API, and the IP address", async () => {
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

test("receipts name the end user, and reports can filter and group by end user", async () => {
  await using gateway = await startManaged()
  const caller = await gateway.caller("1")
  const messages = [{ role: "user", content: "hello" }]
  const post = async (path: string, body: object, headers?: Record<string, string>) => {
    const answer = await caller.post(path, { model: "sim/echo", ...body }, headers)
    expect(answer.status).toBe(200)
    await answer.arrayBuffer()
    return answer.headers.get("x-request-id") ?? ""
  }
  const tagged = { "x-tollgate-tags": "feature=search", "x-tollgate-session": "run-1" }
  const chat = await post("/v1/chat/completions", { messages, user: "ann" }, tagged)
  const message = await post("/v1/messages", {
    messages,
    max_tokens: 50,
    metadata: { user_id: "bob" },
  })
  const response = await post("/v1/responses", { input: "hello", metadata: { feature: "search" } })

  const found = async (query: string) => {
    const page = requestPage.parse(await asked(gateway, "GET", `/receipts?${query}`))
    return page.data.map(({ id }) => id)
  }
  expect(await found("user=ann")).toEqual([chat])
  expect(await found("user=bob&endpoint=%2Fv1%2Fmessages")).toEqual([message])
  expect(await found(`tag=${encodeURIComponent("feature=search")}`)).toEqual([response, chat])
  expect(await found("session=run-1")).toEqual([chat])
  expect(receipt.parse(await asked(gateway, "GET", `/receipts/${chat}`))).toMatchObject({
    user: "ann",
    session: "run-1",
    tags: { feature: "search" },
  })
  const own = await (await caller.get(`/v1/receipts/${chat}`)).json()
  expect(own).toMatchObject({ user: "ann", tags: { feature: "search" } })

  const from = new Date(Date.now() - 3_600_000).toISOString()
  const to = new Date(Date.now() + 3_600_000).toISOString()
  const grouped = async (query: string) =>
    usage.parse(await asked(gateway, "GET", `/usage?from=${from}&to=${to}&${query}`))
  const users = await grouped("group=user&series=hour&before=true&times=true")
  expect(users.data.map(({ group }) => group).toSorted()).toEqual(["ann", "bob"])
  expect(users.total.requests).toBe(3)
  expect(users.before?.total.requests).toBe(0)
  const endpoints = await grouped("group=endpoint")
  expect(endpoints.data.map(({ group }) => group).toSorted()).toEqual([
    "/v1/chat/completions",
    "/v1/messages",
    "/v1/responses",
  ])
  for (const { cost, provider_cost: own } of endpoints.data) expect(own).toBe(cost)
  expect((await grouped("group=tag&user=ann")).data).toMatchObject([{ group: "feature=search" }])

  const bad = await caller.post(
    "/v1/chat/completions",
    { model: "sim/echo", messages },
    { "x-tollgate-tags": "no tag" },
  )
  expect(bad.status).toBe(400)
  expect(await bad.json()).toMatchObject({ error: { param: "x-tollgate-tags" } })
  expect(await found("")).toHaveLength(3)
})
