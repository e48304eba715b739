import { expect, test } from "bun:test"
import { AUDIT } from "../../store/audit-record.ts"
import { readableAudit } from "../../management/readable-audit.ts"
import { startGateway } from "../../support/gateway.ts"
import { type ConsoleBrowser, join, OPERATOR, person, setUpOperator } from "./console-browser.ts"

const ADA = person("Ada")

async function userId(operator: ConsoleBrowser, search: string): Promise<string> {
  const { data } = await operator.json("GET", `/users?search=${search}`)
  return (data as { id: string }[])[0]?.id ?? ""
}

test("only operators see all users and their accounts", async () => {
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

test("a user who is disabled is signed out immediately, and cannot sign in again", async () => {
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

test("the gateway rejects the demotion of the last operator and the disabling of oneself", async () => {
  await using gateway = await startGateway()
  const operator = await setUpOperator(gateway)
  const id = await userId(operator, "olga")
  expect(await operator.status("PATCH", `/users/${id}`, { is_operator: false })).toBe(409)
  expect(await operator.status("PATCH", `/users/${id}`, { is_disabled: true })).toBe(409)
  expect(await operator.status("PATCH", "/users/user_nobody", { is_operator: true })).toBe(404)
  expect(await operator.status("POST", "/users/user_nobody/reset", {})).toBe(404)
})

test("users change their own name, but only operators change an email address", async () => {
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

test("operators export a person's stored data without secrets or other people's data", async () => {
  await using gateway = await startGateway()
  const operator = await setUpOperator(gateway)
  await gateway.store.accounts.create({ id: "acc_acme", name: "acme", createdAt: 1 }, AUDIT)
  const order = { account: "acc_acme", role: "owner", person: ADA } as const
  const ada = await join(gateway, operator, order)
  const id = await userId(operator, "ada")
  await ada.json("PATCH", "/session", { name: "Ada King" })
  await operator.json("PATCH", `/users/${id}`, { name: "Ada Lovelace" })
  const bob = await join(gateway, operator, { ...order, person: person("Bob") })
  expect(await bob.status("GET", `/users/${id}/export`)).toBe(403)
  expect(await operator.status("GET", "/users/user_nobody/export")).toBe(404)
  const exported = await operator.json("GET", `/users/${id}/export`)
  expect(exported).toMatchObject({
    object: "user_export",
    user: { id, name: "Ada Lovelace", email: ADA.email, accounts: [{ name: "acme" }] },
    identities: [],
    sessions: [{ agent: expect.anything() }],
  })
  const audit = exported["audit"] as { action: string; actor: { name: string } | null }[]
  expect(audit.slice(0, 3)).toMatchObject([
    { action: "user.export", actor: null },
    { action: "user.change", actor: null, after: { name: "Ada Lovelace" } },
    { action: "user.change", actor: { name: ADA.email }, after: { name: "Ada King" } },
  ])
  const text = JSON.stringify(exported)
  for (const secret of [OPERATOR.email, ADA.password, "argon2"]) expect(text).not.toContain(secret)
})

test("users export their own data, including mentions of them, without other people's names", async () => {
  await using gateway = await startGateway()
  const operator = await setUpOperator(gateway)
  for (const id of ["acc_acme", "acc_other"]) {
    await gateway.store.accounts.create({ id, name: id, createdAt: 1 }, AUDIT)
  }
  // A record in the form of earlier versions.
  const early = JSON.stringify({ email: ADA.email, invited_by: "boss@example.com" })
  await gateway.store.audit.append({ ...AUDIT, action: "early.mention", after: early })
  const { email } = ADA
  await operator.status("POST", "/auth/sign-in/email", { email, password: "not yet" })
  const order = { account: "acc_acme", role: "owner", person: ADA } as const
  const ada = await join(gateway, operator, order)
  const id = await userId(operator, "ada")
  const guest = { account: "acc_acme", email: "guest@example.com", role: "viewer" }
  await ada.json("POST", "/members/invitations", guest)
  await operator.json("POST", "/members/invitations", {
    account: "acc_other",
    email,
    role: "viewer",
  })
  const { data } = await ada.json("GET", "/members")
  const [member] = data as { id: string }[]
  await join(gateway, operator, { ...order, person: person("Bob") })
  await operator.json("PATCH", `/members/${member?.id}`, { role: "member" })
  const exported = await ada.json("GET", `/users/${id}/export`)
  expect(exported).toMatchObject({
    user: { id, email },
    invitations: [{ account: "acc_other", account_name: "acc_other", role: "viewer" }],
  })
  const audit = exported["audit"] as Record<string, unknown>[]
  const actions = audit.map(({ action }) => action)
  expect(actions).toEqual([
    "user.export",
    "member.change",
    "invitation.create",
    "invitation.create",
    "session.begin",
    "member.join",
    "invitation.create",
    "session.reject",
    "early.mention",
  ])
  expect(audit.at(-1)?.["after"]).toEqual({ email, invited_by: null })
  expect(audit.at(-2)?.["actor"]).toMatchObject({ name: email })
  expect(audit.at(-3)).toMatchObject({ actor: null, after: { email, invited_by: null } })
  expect(audit[3]).toMatchObject({ actor: { name: email }, after: { email: null } })
  const text = JSON.stringify(exported)
  for (const other of [OPERATOR.email, guest.email, "boss@"]) expect(text).not.toContain(other)
  const { user } = await operator.json("GET", "/session")
  expect(await ada.status("GET", `/users/${(user as { id: string }).id}/export`)).toBe(403)
})
