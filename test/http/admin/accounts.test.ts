import { afterAll, beforeAll, expect, test } from "bun:test"
import type { TestGateway } from "../../support/gateway.ts"
import { ask, asked, errorOf, startManaged } from "./support.ts"

let gateway: TestGateway

beforeAll(async () => {
  gateway = await startManaged({
    settings: {
      accountTemplates: { trial: { credits: "0.5", max_keys: 1, daily_budget: "0.25" } },
    },
  })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
})

test("an account is created with or without credits, and the API returns it", async () => {
  const made = await asked(gateway, "POST", "/accounts", { name: " Aurora ", credits: "12.50" })
  expect(made).toMatchObject({ name: "Aurora", balance: "12.5", stores_content: false })
  const id = String(made.id)
  expect(id).toMatch(/^acc_/)
  expect(await asked(gateway, "GET", `/accounts/${id}`)).toEqual(made)
  const [entry] = await gateway.store.entries.list(id, 0, 10)
  expect(entry).toMatchObject({ kind: "grant", author: "admin token" })
  const actions = (await gateway.store.audit.list({ target: id }, null, 10)).map(
    ({ action }) => action,
  )
  expect(actions).toEqual(["account.entry", "account.create"])
})

test("an account created from a template gets the template's limits, and explicit credits take precedence", async () => {
  const made = await asked(gateway, "POST", "/accounts", { name: "Trial", template: "trial" })
  expect(made).toMatchObject({
    balance: "0.5",
    max_keys: 1,
    daily_budget: "0.25",
    daily_budget_left: "0.25",
    requests_per_minute: null,
  })
  const richer = { name: "Richer", template: "trial", credits: "9" }
  expect(await asked(gateway, "POST", "/accounts", richer)).toMatchObject({
    balance: "9",
    max_keys: 1,
  })
  const none = await ask(gateway, "POST", "/accounts", { name: "None", template: "toString" })
  expect(none.status).toBe(400)
  const error = await errorOf(none)
  expect(error).toMatchObject({ param: "template" })
  expect(error.message).toContain("Known templates: trial.")
})

test("an account name can be used only once", async () => {
  await asked(gateway, "POST", "/accounts", { name: "Borealis" })
  const other = await asked(gateway, "POST", "/accounts", { name: "Cumulus" })
  const twice = await ask(gateway, "POST", "/accounts", { name: "Borealis" })
  expect(twice.status).toBe(409)
  expect((await errorOf(twice)).param).toBe("name")
  const renamed = await ask(gateway, "PATCH", `/accounts/${String(other.id)}`, { name: "Borealis" })
  expect(renamed.status).toBe(409)
  await renamed.body?.cancel()
})

test("an account change is stored, and the audit log has the old and the new values", async () => {
  const { id, ...made } = await asked(gateway, "POST", "/accounts", { name: "Dawn" })
  const path = `/accounts/${String(id)}`
  const change = { name: "Dusk", stores_content: true }
  expect(await asked(gateway, "PATCH", path, change)).toEqual({ id, ...made, ...change })
  expect(await asked(gateway, "PATCH", path, {})).toEqual({ id, ...made, ...change })
  const [, record] = await gateway.store.audit.list({ target: String(id) }, null, 10)
  expect(JSON.parse(record?.before ?? "{}")).toMatchObject({ name: "Dawn", stores_content: false })
  expect(JSON.parse(record?.after ?? "{}")).toMatchObject(change)
})

test("the account list returns each account once across several pages", async () => {
  for (const name of ["p1", "p2", "p3"]) await asked(gateway, "POST", "/accounts", { name })
  const seen: unknown[] = []
  let cursor = ""
  do {
    const page = await asked(gateway, "GET", `/accounts?limit=2&cursor=${cursor}`)
    seen.push(...(page.data as { id: string }[]).map(({ id }) => id))
    cursor = String(page.next_cursor ?? "")
  } while (cursor !== "")
  const all = await gateway.store.accounts.list()
  expect(seen).toEqual(all.map(({ id }) => id))
})

test("an account is found only by its id", async () => {
  await asked(gateway, "POST", "/accounts", { name: "Elm" })
  for (const id of ["Elm", "acc_none", "..%2f", "a".repeat(300)]) {
    const response = await ask(gateway, "GET", `/accounts/${id}`)
    expect(response.status).toBe(404)
    await response.body?.cancel()
  }
})
