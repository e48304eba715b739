import { expect, setDefaultTimeout, test } from "bun:test"
import { AUDIT } from "../../store/audit-record.ts"
import { readableAudit } from "../../management/readable-audit.ts"
import { startGateway } from "../../support/gateway.ts"
import { type ConsoleBrowser, join, OPERATOR, person, setUpOperator } from "./console-browser.ts"

// Passwords are hashed on purpose slowly, and a busy machine has little time.
setDefaultTimeout(30_000)

const ADA = person("Ada")

async function userId(operator: ConsoleBrowser, search: string): Promise<string> {
  const { data } = await operator.json("GET", `/users?search=${search}`)
  return (data as { id: string }[])[0]?.id ?? ""
}

test("operators see all users and what they belong to; no one else does", async () => {
  await using gateway = await startGateway()
  const operator = await setUpOperator(gateway)
  await gateway.store.accounts.create({ id: "acc_acme", name: "acme", createdAt: 1 }, AUDIT)
  const order = { account: "acc_acme", role: "owner", person: ADA } as const
  const ada = await join(gateway, operator, order)
  expect(await operator.json("GET", "/users")).toMatchObject({
    data: [
      { email: OPERATOR.email, is_operator: true, is_disabled: false, accounts: [] },
      {
        email: ADA.email,
        is_operator: false,
        two_factor: false,
        accounts: [{ id: "acc_acme", name: "acme", role: "owner" }],
      },
    ],
    next_cursor: null,
  })
  const id = await userId(operator, "ada")
  expect(await ada.status("GET", "/users")).toBe(403)
  expect(await ada.status("PATCH", `/users/${id}`, { is_operator: true })).toBe(403)
  expect(await ada.status("POST", `/users/${id}/reset`, {})).toBe(403)
})

test("a disabled user is out at once, and does not get in again", async () => {
  await using gateway = await startGateway()
  const operator = await setUpOperator(gateway)
  await gateway.store.accounts.create({ id: "acc_acme", name: "acme", createdAt: 1 }, AUDIT)
  const order = { account: "acc_acme", role: "owner", person: ADA } as const
  const ada = await join(gateway, operator, order)
  const id = await userId(operator, "ada")
  const disabled = await operator.json("PATCH", `/users/${id}`, { is_disabled: true })
  expect(disabled).toMatchObject({ is_disabled: true })
  expect(await ada.status("GET", "/session")).toBe(401)
  const { email, password } = ADA
  expect(await ada.status("POST", "/auth/sign-in/email", { email, password })).toBe(403)
  const [record] = await readableAudit(gateway.store, { action: "user.change" })
  expect(record).toMatchObject({ target: id, actorName: OPERATOR.email })
  expect(record).toMatchObject({ before: { is_disabled: false }, after: { is_disabled: true } })
})

test("the last operator stays one, and no one disables themselves", async () => {
  await using gateway = await startGateway()
  const operator = await setUpOperator(gateway)
  const id = await userId(operator, "olga")
  expect(await operator.status("PATCH", `/users/${id}`, { is_operator: false })).toBe(409)
  expect(await operator.status("PATCH", `/users/${id}`, { is_disabled: true })).toBe(409)
  expect(await operator.status("PATCH", "/users/user_nobody", { is_operator: true })).toBe(404)
  expect(await operator.status("POST", "/users/user_nobody/reset", {})).toBe(404)
})

test("people change their own name, and only operators an address", async () => {
  await using gateway = await startGateway()
  const operator = await setUpOperator(gateway)
  await gateway.store.accounts.create({ id: "acc_acme", name: "acme", createdAt: 1 }, AUDIT)
  const order = { account: "acc_acme", role: "owner", person: ADA } as const
  const ada = await join(gateway, operator, order)
  const id = await userId(operator, "ada")
  const renamed = await ada.json("PATCH", "/session", { name: "  Ada King " })
  expect(renamed).toMatchObject({ user: { id, name: "Ada King", email: ADA.email } })
  const [record] = await readableAudit(gateway.store, { action: "user.change" })
  expect(record).toMatchObject({
    target: id,
    actorId: id,
    before: { name: ADA.name },
    after: { name: "Ada King" },
  })

  for (const name of ["", " ", "a\u0007b", "a".repeat(101), 5, null]) {
    expect(await ada.status("PATCH", "/session", { name })).toBe(400)
  }
  const address = "king@example.com"
  expect(await ada.status("PATCH", `/users/${id}`, { email: address })).toBe(403)
  await ada.status("PATCH", "/session", { name: "Ada King", email: address, is_operator: true })
  expect(await ada.json("GET", "/session")).toMatchObject({
    user: { email: ADA.email },
    is_operator: false,
  })

  expect(await operator.status("PATCH", `/users/${id}`, { email: OPERATOR.email })).toBe(409)
  expect(await operator.status("PATCH", `/users/${id}`, { email: "no address" })).toBe(400)
  const moved = await operator.json("PATCH", `/users/${id}`, { email: "KING@example.com" })
  expect(moved).toMatchObject({ name: "Ada King", email: address })
  const { password } = ADA
  const signIn = (email: string) => ada.status("POST", "/auth/sign-in/email", { email, password })
  expect(await signIn(address)).toBe(200)
  expect(await signIn(ADA.email)).toBe(401)
})

test("what is stored of a person is exported for operators, without secrets and without other people", async () => {
  await using gateway = await startGateway()
  const operator = await setUpOperator(gateway)
  await gateway.store.accounts.create({ id: "acc_acme", name: "acme", createdAt: 1 }, AUDIT)
  const order = { account: "acc_acme", role: "owner", person: ADA } as const
  const ada = await join(gateway, operator, order)
  const id = await userId(operator, "ada")
  await ada.json("PATCH", "/session", { name: "Ada King" })
  await operator.json("PATCH", `/users/${id}`, { name: "Ada Lovelace" })
  expect(await ada.status("GET", `/users/${id}/export`)).toBe(403)
  expect(await operator.status("GET", "/users/user_nobody/export")).toBe(404)
  const person = await operator.json("GET", `/users/${id}/export`)
  expect(person).toMatchObject({
    object: "person",
    user: { id, name: "Ada Lovelace", email: ADA.email, accounts: [{ name: "acme" }] },
    identities: [],
    sessions: [{ agent: expect.anything() }],
  })
  const audit = person["audit"] as { action: string; actor: { name: string } | null }[]
  expect(audit.slice(0, 3)).toMatchObject([
    { action: "user.export", actor: null },
    { action: "user.change", actor: null, after: { name: "Ada Lovelace" } },
    { action: "user.change", actor: { name: ADA.email }, after: { name: "Ada King" } },
  ])
  const text = JSON.stringify(person)
  for (const secret of [OPERATOR.email, ADA.password, "argon2"]) expect(text).not.toContain(secret)
})
