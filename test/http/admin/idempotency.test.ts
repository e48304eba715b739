import { afterAll, beforeAll, expect, test } from "bun:test"
import { Database } from "bun:sqlite"
import { databaseFileIn } from "../../../src/store/sqlite/database-file.ts"
import { ask, asked, errorOf } from "./support.ts"
import { type Role, startWorld, type World } from "./matrix-world.ts"

let world: World

beforeAll(async () => {
  world = await startWorld()
})

afterAll(async () => {
  await world[Symbol.asyncDispose]()
})

/** Sends a request with an idempotency key, and the admin token. */
function send(key: string, method: string, path: string, body?: unknown): Promise<Response> {
  return sendAs("admin", key, [method, path, body])
}

function sendAs(
  role: Role,
  key: string,
  [method, path, body]: readonly [method: string, path: string, body?: unknown],
): Promise<Response> {
  const { url } = world.gateway
  const headers = { ...world.headersOf(role), "idempotency-key": key }
  return ask({ url, headers }, method, path, body)
}

async function balance(account: string): Promise<unknown> {
  return (await asked(world.gateway, "GET", `/accounts/${account}/credits`))["balance"]
}

/** Removes the stored response of a claim, as if the process had died before storing it. */
function forgetResponse(request: string): void {
  using database = new Database(databaseFileIn(world.gateway.settings.data))
  database.run(
    "UPDATE idempotency SET node = 'node_gone', state = CASE state WHEN 'kept' THEN 'done' ELSE state END WHERE request = ?",
    [request],
  )
}

test("management requests that move money or create secrets run once per idempotency key", async () => {
  const { account, key } = world.ours
  const cases: readonly (readonly [method: string, path: string, body: object])[] = [
    ["POST", `/accounts/${account}/entries`, { kind: "grant", amount: "1", note: "n" }],
    ["POST", `/accounts/${account}/entries`, { kind: "adjustment", amount: "-1", note: "n" }],
    ["POST", `/accounts/${account}/entries`, { kind: "refund", amount: "1", note: "n" }],
    ["POST", "/codes", { credits: "1", uses: 5 }],
    ["POST", "/accounts", { name: "made once", credits: "1" }],
    ["POST", "/keys", { account, name: "made once" }],
    ["POST", `/keys/${key}/rotate`, { grace_seconds: 60 }],
    ["PATCH", `/keys/${key}`, { name: "renamed" }],
    ["POST", "/members/invitations", { account, email: "new@example.com", role: "member" }],
  ]
  for (const [index, [method, path, body]] of cases.entries()) {
    const responses = await Promise.all(
      Array.from({ length: 5 }, () => send(`case ${index}`, method, path, body)),
    )
    const texts = await Promise.all(responses.map((response) => response.text()))
    expect([path, responses[0]?.status, responses[0]?.ok ? "" : texts[0]]).toEqual([path, 200, ""])
    expect([path, new Set(texts).size]).toEqual([path, 1])
    expect(new Set(responses.map(({ headers }) => headers.get("x-request-id"))).size).toBe(1)
    expect(responses.filter(({ headers }) => headers.has("idempotent-replayed"))).toHaveLength(4)
    expect(responses[0]?.headers.get("cache-control")).toBe("no-store")
    const other = await send(`case ${index}`, method, path, { ...body, note: "another" })
    expect(other.status).toBe(422)
  }
})

test("a management response without a body is also replayed", async () => {
  const { id } = await asked(world.gateway, "POST", "/members/invitations", {
    account: world.ours.account,
    email: "gone@example.com",
    role: "viewer",
  })
  const first = await send("remove", "DELETE", `/members/invitations/${String(id)}`)
  const second = await send("remove", "DELETE", `/members/invitations/${String(id)}`)
  expect([first.status, second.status]).toEqual([200, 200])
  expect(second.headers.get("idempotent-replayed")).toBe("true")
  expect((await send("", "DELETE", `/members/invitations/${String(id)}`)).status).toBe(400)
})

test("a rejected management request releases the idempotency key", async () => {
  const path = `/accounts/${world.ours.account}/entries`
  const take = { kind: "adjustment", amount: "-1000000", note: "too much" }
  expect((await send("rejected", "POST", path, take)).status).toBe(409)
  const again = await send("rejected", "POST", path, take)
  expect(again.status).toBe(409)
  expect(again.headers.get("idempotent-replayed")).toBeNull()
})

test("an idempotency key is valid for one user, who gets no stored response after losing the required role", async () => {
  const { account } = world.ours
  const body = { account, name: "of the owner" }
  const keys = ["POST", "/keys", body] as const
  const mine = await sendAs("owner", "shared", keys)
  const secret = ((await mine.json()) as { secret: string }).secret
  const admins = (await (await send("shared", "POST", "/keys", body)).json()) as { secret: string }
  expect(admins.secret).not.toBe(secret)
  const members = await asked(world.gateway, "GET", `/members?account=${account}`)
  const { id } = (members["data"] as { id: string; email: string }[]).find(
    ({ email }) => email === world.emails.get("owner"),
  ) ?? { id: "" }
  const { id: other } = (members["data"] as { id: string; role: string; email: string }[]).find(
    ({ email }) => email === world.emails.get("member"),
  ) ?? { id: "" }
  await asked(world.gateway, "PATCH", `/members/${other}`, { role: "owner" })
  await asked(world.gateway, "PATCH", `/members/${id}`, { role: "viewer" })
  const later = await sendAs("owner", "shared", keys)
  expect(later.status).toBe(403)
  expect((await errorOf(later)).message).toContain("fewer permissions")
  await asked(world.gateway, "PATCH", `/members/${id}`, { role: "owner" })
  const last = (await (await sendAs("owner", "shared", keys)).json()) as {
    secret: string
  }
  expect(last.secret).toBe(secret)
})

test("a retried change is not applied twice if the process crashed before its response", async () => {
  const { account } = world.ours
  const path = `/accounts/${account}/entries`
  const grant = { kind: "grant", amount: "2", note: "once" }
  const before = await balance(account)
  const first = await send("died", "POST", path, grant)
  const id = first.headers.get("x-request-id") ?? ""
  const after = await balance(account)
  expect(after).not.toBe(before)
  const text = await first.text()
  forgetResponse(id)
  // The response is on disk, but not yet in the ledger.
  expect(await (await send("died", "POST", path, grant)).text()).toBe(text)
  await Bun.file(`${world.gateway.settings.data}/responses/${id}`).delete()
  forgetResponse(id)
  const lost = await send("died", "POST", path, grant)
  expect(lost.status).toBe(409)
  expect(await errorOf(lost)).toMatchObject({ code: "conflict", original_request_id: id })
  expect(await balance(account)).toBe(after)
})
