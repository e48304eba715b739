import { expect, test } from "bun:test"
import { AUDIT } from "../../store/audit-record.ts"
import { startGateway, type TestGateway } from "../../support/gateway.ts"
import { ConsoleBrowser, join, person, setUpOperator } from "./console-browser.ts"

const ADA = person("Ada")
const BOB = person("Bob")

interface World {
  readonly gateway: TestGateway
  readonly operator: ConsoleBrowser
  readonly account: string
  /** The owner of the account. */
  readonly ada: ConsoleBrowser
}

async function withOwner(gateway: TestGateway): Promise<World> {
  const operator = await setUpOperator(gateway)
  const account = "acc_acme"
  await gateway.store.accounts.create({ id: account, name: "acme", createdAt: 1 }, AUDIT)
  const ada = await join(gateway, operator, { account, role: "owner", person: ADA })
  return { gateway, operator, account, ada }
}

async function idOf(browser: ConsoleBrowser, email: string): Promise<string> {
  const { data } = await browser.json("GET", "/members")
  return (data as { id: string; email: string }[]).find((one) => one.email === email)?.id ?? ""
}

test("an invitation names the account, and a new user can accept it once", async () => {
  await using gateway = await startGateway()
  const { operator, account } = await withOwner(gateway)
  const order = { account, email: "BOB@example.com", role: "member" }
  const invitation = await operator.json("POST", "/members/invitations", order)
  expect(invitation).toMatchObject({ account_name: "acme", email: BOB.email, role: "member" })
  const link = new URL(String(invitation["link"]))
  expect(link.pathname).toBe("/console/invitation")
  const token = link.searchParams.get("token")
  const bob = new ConsoleBrowser(gateway)
  expect(await bob.json("GET", `/invitations/${token}`)).toMatchObject({
    account_name: "acme",
    email: BOB.email,
    invited_by: "olga@example.com",
    is_registered: false,
  })
  const nameless = await bob.ask("POST", `/invitations/${token}/accept`, {})
  expect(await nameless.json()).toMatchObject({ error: { param: "name" } })
  const { name, password } = BOB
  const session = await bob.json("POST", `/invitations/${token}/accept`, { name, password })
  expect(session).toMatchObject({
    user: { name: "Bob" },
    is_operator: false,
    accounts: [{ id: account, name: "acme", role: "member" }],
  })
  expect(await bob.json("GET", "/session")).toEqual(session)
  expect(await bob.status("GET", `/invitations/${token}`)).toBe(404)
  const stored = JSON.stringify(await gateway.store.audit.list({}, null, 100))
  expect(stored).not.toContain(String(token))
})

test("a registered user can accept only an invitation to the user's own email address", async () => {
  await using gateway = await startGateway()
  const { operator, ada } = await withOwner(gateway)
  await gateway.store.accounts.create({ id: "acc_two", name: "two", createdAt: 2 }, AUDIT)
  const order = { account: "acc_two", email: ADA.email, role: "viewer" }
  const { link } = await operator.json("POST", "/members/invitations", order)
  const path = `/invitations/${new URL(String(link)).searchParams.get("token")}/accept`
  const stranger = new ConsoleBrowser(gateway)
  const taken = { name: "Eve", password: "the password of eve" }
  expect(await stranger.status("POST", path, taken)).toBe(409)
  expect(await operator.status("POST", path, {})).toBe(403)
  const session = await ada.json("POST", path, {})
  expect(session["accounts"]).toEqual([
    { id: "acc_acme", name: "acme", role: "owner" },
    { id: "acc_two", name: "two", role: "viewer" },
  ])
  expect(await operator.status("POST", "/members/invitations", order)).toBe(409)
})

test("a withdrawn or expired invitation is rejected", async () => {
  await using gateway = await startGateway()
  const { ada, account } = await withOwner(gateway)
  const order = { account, email: BOB.email, role: "member" }
  const { link, id } = await ada.json("POST", "/members/invitations", order)
  const list = await ada.json("GET", "/members/invitations")
  expect(list).toMatchObject({ data: [{ id, email: BOB.email }], next_cursor: null })
  expect(JSON.stringify(list)).not.toContain("token")
  await ada.json("DELETE", `/members/invitations/${id}`)
  const token = new URL(String(link)).searchParams.get("token")
  const bob = new ConsoleBrowser(gateway)
  const { name, password } = BOB
  expect(await bob.status("POST", `/invitations/${token}/accept`, { name, password })).toBe(404)
  await gateway.store.invitations.insert(
    {
      id: "inv_old",
      account,
      email: BOB.email,
      role: "member",
      tokenHash: new Bun.CryptoHasher("sha256").update("old").digest("hex"),
      invitedBy: "x",
      createdAt: 1,
      expiresAt: Date.now() - 1,
    },
    AUDIT,
  )
  expect(await bob.status("GET", "/invitations/old")).toBe(404)
  expect(await bob.status("POST", "/invitations/old/accept", { name, password })).toBe(404)
})

test("a changed or removed role takes effect with the next request", async () => {
  await using gateway = await startGateway()
  const { operator, account, ada } = await withOwner(gateway)
  const bob = await join(gateway, operator, { account, role: "viewer", person: BOB })
  const invitation = { account, email: "cleo@example.com", role: "member" }
  expect(await bob.status("GET", "/members")).toBe(200)
  expect(await bob.status("POST", "/members/invitations", invitation)).toBe(403)
  const id = await idOf(ada, BOB.email)
  expect(await bob.status("PATCH", `/members/${id}`, { role: "owner" })).toBe(403)
  expect(await ada.json("PATCH", `/members/${id}`, { role: "owner" })).toMatchObject({
    role: "owner",
    email: BOB.email,
  })
  expect(await bob.status("POST", "/members/invitations", invitation)).toBe(200)
  expect(await ada.json("DELETE", `/members/${id}`)).toEqual({ ok: true })
  expect(await bob.status("GET", `/members?account=${account}`)).toBe(404)
  expect(await bob.json("GET", "/members")).toMatchObject({ data: [] })
})

test("the last owner cannot be removed", async () => {
  await using gateway = await startGateway()
  const { ada, operator } = await withOwner(gateway)
  const id = await idOf(ada, ADA.email)
  expect(await ada.status("PATCH", `/members/${id}`, { role: "member" })).toBe(409)
  expect(await ada.status("DELETE", `/members/${id}`)).toBe(409)
  expect(await operator.status("DELETE", `/members/${id}`)).toBe(409)
})

test("members cannot access members of other accounts", async () => {
  await using gateway = await startGateway()
  const { operator, ada } = await withOwner(gateway)
  await gateway.store.accounts.create({ id: "acc_other", name: "other", createdAt: 2 }, AUDIT)
  await join(gateway, operator, { account: "acc_other", role: "owner", person: BOB })
  const bobs = await idOf(operator, BOB.email)
  expect(await idOf(ada, BOB.email)).toBe("")
  expect(await ada.status("GET", "/members?account=acc_other")).toBe(404)
  expect(await ada.status("PATCH", `/members/${bobs}`, { role: "viewer" })).toBe(404)
  expect(await ada.status("DELETE", `/members/${bobs}`)).toBe(404)
  const order = { account: "acc_other", email: "x@example.com", role: "owner" }
  expect(await ada.status("POST", "/members/invitations", order)).toBe(404)
  expect(await ada.status("GET", "/members/invitations?account=acc_other")).toBe(404)
  const { id } = await operator.json("POST", "/members/invitations", order)
  expect(await ada.status("DELETE", `/members/invitations/${id}`)).toBe(404)
  expect(await ada.json("GET", "/members/invitations")).toMatchObject({ data: [] })
})

test("member lists are read page by page", async () => {
  await using gateway = await startGateway()
  const { operator, account } = await withOwner(gateway)
  const emails = ["c1@example.com", "c2@example.com", "c3@example.com"]
  for (const email of emails) {
    await operator.json("POST", "/members/invitations", { account, email, role: "viewer" })
  }
  const seen: string[] = []
  let cursor: unknown = ""
  do {
    const page = await operator.json("GET", `/members/invitations?limit=2&cursor=${cursor}`)
    seen.push(...(page["data"] as { email: string }[]).map((one) => one.email))
    cursor = page["next_cursor"]
  } while (cursor !== null)
  expect(seen.toSorted()).toEqual(emails)
})
