import { accountQuery } from "tollgate-contract/accounts.ts"
import { afterEach, beforeEach, expect, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { KeyHasher } from "../../src/keys/secret.ts"
import { Accounts } from "../../src/management/accounts.ts"
import { COMMAND_LINE } from "../../src/management/actor.ts"
import { Audit } from "../../src/management/audit.ts"
import { Keys } from "../../src/management/keys.ts"
import { databaseOf } from "../../src/store/installation-database.ts"
import type { Store } from "../../src/store/store.ts"
import { kindOf, userIn } from "./actors.ts"
import { readableAudit } from "./readable-audit.ts"

let folder: string
let store: Store
let keys: Keys
let accounts: Accounts
let first: string
let second: string

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-keys-"))
  store = await databaseOf({ data: folder }).openStore()
  const audit = new Audit(store)
  const uses = async (ids: readonly string[]) =>
    new Map(ids.map((id) => [id, { lastUsedAt: 1_000, spent: 1_500_000_000n }]))
  keys = new Keys(store, audit, new KeyHasher("pepper"), { uses })
  accounts = new Accounts(store, audit)
  first = (await accounts.create(COMMAND_LINE, { name: "first" })).id
  second = (await accounts.create(COMMAND_LINE, { name: "second" })).id
})

afterEach(async () => {
  await store[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

test("a member of two accounts can list the keys of both accounts or of one account", async () => {
  const both = userIn({ [first]: "member", [second]: "viewer" })
  const { id } = await keys.create(both, { account: first, name: "mine" })
  const other = await keys.create(COMMAND_LINE, { account: second, name: "seen" })
  expect((await keys.list(both, { limit: 10 })).data).toHaveLength(2)
  const { data } = await keys.list(both, { limit: 10, account: first })
  expect(data.map((key) => key.id)).toEqual([id])
  expect(await kindOf(keys.create(both, { account: second, name: "no" }))).toBe("forbidden")
  expect(await kindOf(keys.rotate(both, other.id, 0))).toBe("forbidden")
})

test("keys of another account are not found by any operation", async () => {
  const stranger = userIn({ [second]: "owner" })
  const { id } = await keys.create(COMMAND_LINE, { account: first, name: "hidden" })
  const asked = [
    keys.find(stranger, id),
    keys.change(stranger, id, { name: "taken" }),
    keys.rotate(stranger, id, 0),
    keys.revoke(stranger, id),
    keys.list(stranger, { limit: 10, account: first }),
    keys.create(stranger, { account: first, name: "x" }),
  ]
  expect(await Promise.all(asked.map(kindOf))).toEqual(asked.map(() => "not_found"))
  expect((await keys.list(stranger, { limit: 10 })).data).toEqual([])
})

test("a key is returned with its usage", async () => {
  const { id } = await keys.create(COMMAND_LINE, { account: first, name: "used" })
  expect(await keys.find(COMMAND_LINE, id)).toMatchObject({
    spent: "1.5",
    last_used_at: "1970-01-01T00:00:01.000Z",
  })
})

test("every successful change of a key is in the audit log with its actor and IP address", async () => {
  const owner = userIn({ [first]: "owner" })
  const { id, secret } = await keys.create(owner, { account: first, name: "watched" })
  await keys.change(owner, id, { name: "renamed", budget: "5" })
  const rotated = await keys.rotate(owner, id, 60_000)
  await keys.revoke(owner, id)
  await keys.revoke(owner, id)
  expect(await kindOf(keys.change(owner, id, { name: "too late" }))).toBe("conflict")
  const records = await readableAudit(store, { target: id })
  expect(records.map(({ action }) => action)).toEqual([
    "key.revoke",
    "key.rotate",
    "key.change",
    "key.create",
  ])
  const { name: actorName, address } = owner
  for (const record of records) {
    expect(record).toMatchObject({ account: first, actorKind: "user", actorName, address })
  }
  const text = JSON.stringify(records)
  for (const one of [secret, rotated.secret]) expect(text).not.toContain(one.slice(6, -4))
})

test("only operators create and rename accounts", async () => {
  const owner = userIn({ [first]: "owner" })
  expect(await kindOf(accounts.create(owner, { name: "x" }))).toBe("forbidden")
  expect(await kindOf(accounts.change(owner, first, { name: "x" }))).toBe("forbidden")
  expect(await kindOf(accounts.change(owner, second, { name: "x" }))).toBe("not_found")
  expect((await accounts.list(owner, accountQuery.parse({}))).data.map(({ id }) => id)).toEqual([
    first,
  ])
})

test("a change replaces all aliases of a key, and the audit log records them", async () => {
  const owner = userIn({ [first]: "owner" })
  const aliases = { "gpt-4o": "openai/gpt-5.4", constructor: "sim/echo" }
  const made = await keys.create(owner, { account: first, name: "named", aliases })
  expect(made.aliases).toEqual(aliases)
  expect((await keys.change(owner, made.id, { name: "same" })).aliases).toEqual(aliases)
  const changed = await keys.change(owner, made.id, { aliases: { fast: "sim/echo" } })
  expect(changed.aliases).toEqual({ fast: "sim/echo" })
  expect((await keys.change(owner, made.id, { aliases: null })).aliases).toBeNull()
  expect((await keys.find(owner, made.id)).aliases).toBeNull()
  const records = await store.audit.list({ target: made.id }, null, 10)
  expect(JSON.stringify(records)).toContain("gpt-4o")
})
