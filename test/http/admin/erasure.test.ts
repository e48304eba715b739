import { Database } from "bun:sqlite"
import { expect, test } from "bun:test"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join as joinPath } from "node:path"
import { verifyAudit } from "../../../src/ledger/verify/audit.ts"
import { verifyLedgers } from "../../../src/ledger/verify/ledgers.ts"
import { AUDIT } from "../../store/audit-record.ts"
import { startGateway, type TestGateway } from "../../support/gateway.ts"
import { ConsoleBrowser, join, OPERATOR, person, setUpOperator } from "./console-browser.ts"

const ADA = person("Ada")
const ACME = "acc_acme"

interface Started {
  readonly gateway: TestGateway
  readonly operator: ConsoleBrowser
  readonly ada: ConsoleBrowser
  readonly id: string
}

/** Starts a gateway with an operator, and with Ada as one of two owners of an account. */
async function start(): Promise<Started> {
  const gateway = await startGateway()
  const operator = await setUpOperator(gateway)
  await gateway.store.accounts.create({ id: ACME, name: "acme", createdAt: 1 }, AUDIT)
  for (const name of ["Ada", "Eve"]) {
    await join(gateway, operator, { account: ACME, role: "owner", person: person(name) })
  }
  const ada = new ConsoleBrowser(gateway)
  await ada.signIn(ADA)
  return { gateway, operator, ada, id: await userId(operator, "ada") }
}

async function userId(operator: ConsoleBrowser, search: string): Promise<string> {
  const { data } = await operator.json("GET", `/users?search=${search}`)
  return (data as { id: string }[])[0]?.id ?? ""
}

async function auditOf(operator: ConsoleBrowser, query = ""): Promise<Record<string, unknown>[]> {
  const { data } = await operator.json("GET", `/audit?limit=100${query}`)
  return data as Record<string, unknown>[]
}

async function expectRight({ store }: TestGateway): Promise<void> {
  expect(await verifyAudit(store)).toMatchObject({ problem: null })
  expect((await verifyLedgers(store)).problems).toEqual([])
}

/** Returns the files of a folder that contain a text in any encoding. */
function filesWith(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => {
    const path = joinPath(folder, name)
    return statSync(path).isFile() && readFileSync(path).includes(text)
  })
}

test("erasure removes a person's name, keeps the person's actions under an id, and passes verification", async () => {
  const started = await start()
  await using gateway = started.gateway
  const { operator, ada, id } = started
  await ada.json("PATCH", "/session", { name: "Ada Lovelace" })
  await operator.json("PATCH", `/users/${id}`, { email: "king@example.com" })
  await operator.json("PATCH", `/users/${id}`, { is_operator: true })
  const grant = { kind: "grant", amount: "5", note: "welcome" }
  await ada.json("POST", `/accounts/${ACME}/entries`, grant)
  await ada.json("POST", "/codes", { credits: "1" })
  const guest = { account: ACME, email: "guest@example.com", role: "viewer" }
  await ada.json("POST", "/members/invitations", guest)
  await operator.ask("POST", "/auth/sign-in/email", { email: "king@example.com", password: "x" })
  const names = [ADA.email, "king@example.com", "Ada Lovelace"]
  const shown = JSON.stringify(await auditOf(operator))
  for (const name of names) expect(shown).toContain(name)

  expect(await operator.json("POST", `/users/${id}/erase`)).toEqual({
    object: "erasure",
    user: id,
  })
  await expectRight(gateway)
  const records = await auditOf(operator)
  const [erasure] = records
  expect(erasure).toMatchObject({
    action: "user.erase",
    target: id,
    actor: { name: OPERATOR.email },
    after: { redacted: { records: 0, entries: 0 } },
  })
  expect(records.find(({ action }) => action === "code.create")).toMatchObject({
    actor: { id, name: "erased" },
    address: "erased",
    after: { author: "erased" },
  })
  expect(records.find(({ action }) => action === "user.change")).toMatchObject({
    target: id,
    after: { name: "erased", email: "erased", is_operator: true },
  })
  const entries = await operator.json("GET", `/accounts/${ACME}/entries`)
  const codes = await operator.json("GET", "/codes")
  const invitations = await operator.json("GET", "/members/invitations")
  expect(entries["data"]).toMatchObject([{ author: "erased", amount: "5" }])
  expect(codes["data"]).toMatchObject([{ author: "erased" }])
  expect(invitations["data"]).toMatchObject([{ invited_by: "erased", email: guest.email }])
  const text = JSON.stringify([records, entries, codes, invitations])
  for (const name of names) expect(text).not.toContain(name)
  const found = await auditOf(operator, `&actor=${id}`)
  expect(found.length).toBeGreaterThan(3)
  // The person is signed out, and the email address is no longer known.
  expect(await ada.status("GET", "/session")).toBe(401)
  const { password } = ADA
  const again = { email: "king@example.com", password }
  expect(await ada.status("POST", "/auth/sign-in/email", again)).toBe(401)
  expect(await operator.status("POST", `/users/${id}/erase`)).toBe(404)
  expect(await operator.status("GET", `/users/${id}/export`)).toBe(404)
  const { data } = await operator.json("GET", `/members?account=${ACME}`)
  expect(data).toMatchObject([{ name: "Eve" }])
})

test("erasure leaves no personal data in the database files", async () => {
  const started = await start()
  const { gateway, operator, ada, id } = started
  await using _ = gateway
  // The name is long, because a name of three letters occurs by chance in any file.
  const name = "Ada, Countess of Lovelace"
  await ada.json("PATCH", "/session", { name })
  // A record in the form of earlier versions.
  const early = { actorKind: "user", actorId: id, actorName: ADA.email } as const
  await gateway.store.audit.append({ ...AUDIT, ...early, address: "203.0.113.77" })
  const grant = { account: ACME, kind: "grant", amount: 5n, at: 3, note: null } as const
  await gateway.store.entries.add({ ...grant, author: ADA.email }, AUDIT)
  await operator.json("POST", `/users/${id}/erase`)
  await expectRight(gateway)
  for (const database of ["tollgate.db", "console.db"]) {
    using file = new Database(joinPath(gateway.settings.data, database))
    file.run("PRAGMA wal_checkpoint(TRUNCATE)")
  }
  for (const text of [ADA.email, name, "203.0.113.77"]) {
    expect([text, filesWith(gateway.settings.data, text)]).toEqual([text, []])
  }
})

test("a rejected erasure changes nothing", async () => {
  const started = await start()
  await using _ = started.gateway
  const { operator, ada, id } = started
  const olga = await userId(operator, "olga")
  const eve = await userId(operator, "eve")
  expect(await ada.status("POST", `/users/${eve}/erase`)).toBe(403)
  expect(await ada.status("POST", "/users/erase", { email: "x@example.com" })).toBe(403)
  expect(await operator.status("POST", `/users/${olga}/erase`)).toBe(409)
  await operator.json("POST", `/users/${eve}/erase`)
  const rejected = await operator.ask("POST", `/users/${id}/erase`)
  expect(rejected.status).toBe(409)
  expect(await rejected.text()).toContain("Make someone else an owner, or close the account.")
  expect(await ada.status("GET", "/session")).toBe(401)
  await ada.signIn(ADA)
  // The admin token belongs to no member, so the operator closes the account before erasing its owner.
  await operator.json("PATCH", `/accounts/${ACME}`, { state: "closed" })
  await operator.json("POST", `/users/${id}/erase`)
  expect(await ada.status("GET", "/session")).toBe(401)
})

test("only one of two operators who erase each other at the same time succeeds", async () => {
  const started = await start()
  await using _ = started.gateway
  const { operator, ada, id } = started
  await operator.json("PATCH", `/users/${id}`, { is_operator: true })
  const olga = await userId(operator, "olga")
  const both = await Promise.all([
    operator.status("POST", `/users/${id}/erase`),
    ada.status("POST", `/users/${olga}/erase`),
  ])
  expect(both.filter((status) => status === 200)).toHaveLength(1)
  const rest = both[0] === 200 ? operator : ada
  expect(await rest.json("GET", "/session")).toMatchObject({ is_operator: true })
})

test("an interrupted erasure is completed by a retry", async () => {
  const started = await start()
  await using gateway = started.gateway
  const { operator, ada, id } = started
  // The ledger has erased the person, but the process died before the user was deleted.
  await operator.json("PATCH", `/users/${id}`, { is_disabled: true })
  const erased = { person: id, addresses: [ADA.email], addressHashes: [], at: 1 }
  await gateway.store.personKeys.erase(erased, { ...AUDIT, action: "user.erase", target: id })
  expect(await ada.status("GET", "/session")).toBe(401)
  expect(await userId(operator, "ada")).toBe(id)
  await operator.json("POST", `/users/${id}/erase`)
  expect(await userId(operator, "ada")).toBe("")
  expect(JSON.stringify(await auditOf(operator))).not.toContain(ADA.email)
  await expectRight(gateway)
})

test("actions on another node during an erasure do not record the name of the erased person", async () => {
  const started = await start()
  await using gateway = started.gateway
  const { operator, ada, id } = started
  const order = { account: ACME, name: "a key" }
  const both = await Promise.all([
    operator.status("POST", `/users/${id}/erase`),
    ...Array.from({ length: 10 }, () => ada.status("POST", "/keys", order)),
  ])
  expect(both[0]).toBe(200)
  expect(JSON.stringify(await auditOf(operator))).not.toContain(ADA.email)
  expect(await gateway.store.personKeys.keys([id])).toEqual([{ person: id, key: null }])
  await expectRight(gateway)
})

test("a person who was invited but has no user is erased by email address", async () => {
  const started = await start()
  await using gateway = started.gateway
  const { operator } = started
  const email = "guest@example.com"
  const invited = await operator.json("POST", "/members/invitations", {
    account: ACME,
    email,
    role: "viewer",
  })
  await operator.json("DELETE", `/members/invitations/${String(invited["id"])}`)
  await operator.json("POST", "/members/invitations", { account: ACME, email, role: "viewer" })
  await operator.ask("POST", "/auth/sign-in/email", { email, password: "x" })
  const typed = await auditOf(operator, `&actor=${email}`)
  expect(typed).toMatchObject([{ action: "session.reject", actor: { name: email } }])
  expect(await operator.status("POST", "/users/erase", { email: ADA.email })).toBe(409)
  const erased = await operator.json("POST", "/users/erase", { email: email.toUpperCase() })
  expect(erased).toEqual({ object: "erasure", user: null })
  expect(JSON.stringify(await auditOf(operator))).not.toContain(email)
  expect((await operator.json("GET", "/members/invitations"))["data"]).toEqual([])
  await expectRight(gateway)
})
