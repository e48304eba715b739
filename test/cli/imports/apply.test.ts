import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "bun:test"
import { applyImport, type ImportInstallation } from "../../../src/cli/import/apply.ts"
import { importedId, type PlannedAccount } from "../../../src/cli/import/plan.ts"
import { Audit } from "../../../src/management/audit.ts"
import type { Store } from "../../../src/store/store.ts"
import { AUDIT } from "../../store/audit-record.ts"
import { hasher } from "../../keys/support.ts"
import { TestDatabase } from "../../store/test-database.ts"

function planned(name: string, note = `from ${name}`): PlannedAccount {
  const key = (id: string) => ({
    id: `key_${Bun.hash(name + id).toString(16)}`,
    input: { name: id },
    secret: undefined,
    isPaused: false,
  })
  const keys = [key("first"), key("second")]
  return { name, limits: {}, isPaused: false, credits: 5n, note, keys }
}

async function withFolder(work: (folder: string, out: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-import-"))
  try {
    await work(folder, join(folder, "imported.yaml"))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function installationOn(store: Store, data: string): ImportInstallation {
  return { store, audit: new Audit(store), hasher, loaded: { settings: { data } } }
}

const PLAN = [planned("one"), planned("two")]

test("import writes nothing if one of the accounts cannot be written", () =>
  withFolder(async (folder, out) => {
    await using database = TestDatabase.direct()
    const { store } = database
    const files = [{ path: out, text: "providers: {}\n" }]
    const run = (plan = PLAN) => applyImport(plan, files, out, installationOn(store, folder))
    expect(await run([planned("two")])).toMatchObject({ accounts: 1, keys: 2, grants: 1 })
    const written = () => [out, `${out}.keys`].map((path) => readFileSync(path, "utf8"))
    const before = written()
    const unknown = { ...planned("two"), keys: planned("three").keys }
    await expect(run([planned("one"), unknown])).rejects.toThrow("Nothing was imported")
    expect((await store.accounts.list()).map(({ name }) => name)).toEqual(["two"])
    expect(written()).toEqual(before)
    expect(await run()).toMatchObject({ accounts: 1, keys: 2, grants: 1, present: 3 })
    expect(await run()).toMatchObject({ accounts: 0, keys: 0, grants: 0, present: 6 })
  }))

test("import completes an earlier import that was killed, with the secrets that were already written", () =>
  withFolder(async (folder, out) => {
    await using database = TestDatabase.direct()
    const { store } = database
    const files = [{ path: out, text: "providers: {}\n" }]
    let left = ""
    const killed: Store = {
      ...store,
      batches: {
        write: async () => {
          left = readFileSync(`${out}.keys`, "utf8")
          throw new Error("killed")
        },
      },
    }
    const interrupted = applyImport(PLAN, files, out, installationOn(killed, folder))
    await expect(interrupted).rejects.toThrow("killed")
    expect(existsSync(out)).toBe(false)
    // A process that was killed has left this file.
    writeFileSync(`${out}.keys`, left)
    await applyImport(PLAN, files, out, installationOn(store, folder))
    expect(readFileSync(`${out}.keys`, "utf8")).toBe(left)
    expect(left.trim().split("\n")).toHaveLength(4)
    for (const line of left.trim().split("\n")) {
      const [, secret = "", id = ""] = /^(\S+) {2}.*\((.+)\)$/.exec(line) ?? []
      expect((await store.keys.find(id))?.secrets[0]?.hash).toBe(hasher.hash(secret))
    }
    // The ledger was written, but the settings were not.
    rmSync(out)
    await applyImport(PLAN, files, out, installationOn(store, folder))
    expect(readFileSync(out, "utf8")).toBe("providers: {}\n")
    expect(await store.accounts.list()).toHaveLength(2)
  }))

test("import finds accounts that were renamed since the last import, and grants credits once", () =>
  withFolder(async (folder, out) => {
    await using database = TestDatabase.direct()
    const { store } = database
    const installation = installationOn(store, folder)
    await applyImport(PLAN, [], out, installation)
    const [one] = await store.accounts.list()
    await store.accounts.update(one?.id ?? "", { name: "renamed" }, AUDIT)
    const again = await applyImport(PLAN, [], out, installation)
    expect(again).toMatchObject({ accounts: 0, keys: 0, grants: 0, present: 6 })
    expect((await store.accounts.find("renamed"))?.balance).toBe(5n)
  }))

test("import attaches no key to an existing account that only has the same name as a user", () =>
  withFolder(async (folder, out) => {
    await using database = TestDatabase.direct()
    const { store } = database
    await store.accounts.create({ id: "acc_demo", name: "demo", createdAt: 1 }, AUDIT)
    const plan = [{ ...planned("demo", "from new-api: user 7"), isPaused: true }]
    const applied = await applyImport(plan, [], out, installationOn(store, folder))
    const name = "demo (from new-api: user 7)"
    expect(applied.renamed).toEqual([{ name: "demo", created_as: name }])
    const created = await store.accounts.find(name)
    expect(created).toMatchObject({ balance: 5n, state: "paused" })
    expect(await store.accounts.find("acc_demo")).toMatchObject({ balance: 0n, state: "active" })
    for (const { id } of plan[0]?.keys ?? [])
      expect((await store.keys.find(id))?.account).toBe(created?.id ?? "")
  }))

test("import attaches no key to an existing account that is named like the id of a planned account", () =>
  withFolder(async (folder, out) => {
    await using database = TestDatabase.direct()
    const { store } = database
    const plan = [planned("bob", "from new-api: user 5")]
    const id = importedId("acc", "from new-api: user 5")
    await store.accounts.create({ id: "acc_other", name: id, createdAt: 1 }, AUDIT)
    await applyImport(plan, [], out, installationOn(store, folder)).catch(() => {})
    expect((await store.accounts.find("acc_other"))?.balance).toBe(0n)
    for (const key of plan[0]?.keys ?? [])
      expect((await store.keys.find(key.id))?.account).not.toBe("acc_other")
  }))

test("import grants credits once to a user who was renamed in the other gateway", () =>
  withFolder(async (folder, out) => {
    await using database = TestDatabase.direct()
    const { store } = database
    const installation = installationOn(store, folder)
    const note = "from new-api: user 5"
    const before = planned("bob", note)
    await applyImport([before], [], out, installation)
    const [second] = planned("new", note).keys
    const after = { ...before, name: "bob2", keys: [...before.keys, ...(second ? [second] : [])] }
    const again = await applyImport([after], [], out, installation)
    expect(again).toMatchObject({ accounts: 0, keys: 1, grants: 0, present: 3 })
    expect(await store.accounts.list()).toMatchObject([{ name: "bob", balance: 5n }])
  }))

test("import rejects keys of another source whose users have the same ids", () =>
  withFolder(async (folder, out) => {
    await using database = TestDatabase.direct()
    const { store } = database
    const installation = installationOn(store, folder)
    await applyImport([planned("bob", "from new-api: user 5")], [], out, installation)
    const other = planned("carol", "from new-api: user 5")
    await expect(applyImport([other], [], out, installation)).rejects.toThrow("--source")
    const named = { ...other, source: "second", note: `${other.note} of second` }
    expect(await applyImport([named], [], out, installation)).toMatchObject({
      accounts: 1,
      keys: 2,
    })
    expect((await store.accounts.find("bob"))?.balance).toBe(5n)
  }))

test("import finds a unique name for each of several accounts with similar names", () =>
  withFolder(async (folder, out) => {
    await using database = TestDatabase.direct()
    const { store } = database
    await store.accounts.create({ id: "acc_bob", name: "bob", createdAt: 1 }, AUDIT)
    const named = (name: string, user: number): PlannedAccount => ({
      ...planned(`${name} ${user}`, `from new-api: user ${user}`),
      name,
    })
    const plan = [named("bob (from new-api: user 3)", 1), named("bob", 3), named("bob", 30)]
    const applied = await applyImport(plan, [], out, installationOn(store, folder))
    expect(applied).toMatchObject({ accounts: 3, grants: 3 })
    const found = await store.accounts.list()
    expect(new Set(found.map(({ name }) => name)).size).toBe(4)
  }))

test("import rejects an existing account if none of the imported keys exist", () =>
  withFolder(async (folder, out) => {
    await using database = TestDatabase.direct()
    const installation = installationOn(database.store, folder)
    const note = "from new-api: user 5"
    await applyImport([planned("bob", note)], [], out, installation)
    const { keys } = planned("other", note)
    const sameName = { ...planned("bob", note), keys }
    const rejected = applyImport([sameName], [], out, installation)
    await expect(rejected).rejects.toThrow(
      "Nothing was imported: the accounts 'bob' were imported before",
    )
    await expect(rejected).rejects.toThrow("add --source NAME. Otherwise create new keys")
    for (const { id } of keys) expect(await database.store.keys.find(id)).toBeNull()
  }))

test("import gives no key of a second source to an account of the first source", () =>
  withFolder(async (folder, out) => {
    await using database = TestDatabase.direct()
    const { store } = database
    const installation = installationOn(store, folder)
    const [alice, bob] = [
      planned("alice", "from new-api: user 4"),
      planned("bob", "from new-api: user 5"),
    ]
    await applyImport([alice, bob], [], out, installation)
    // A user of both installations has the same key in both.
    const stranger = { ...bob, credits: 7n, keys: planned("stranger").keys }
    const applied = await applyImport([alice, stranger], [], out, installation)
    expect(applied).toMatchObject({ accounts: 0, keys: 0, grants: 0 })
    expect(applied.left_out).toMatchObject([{ name: "bob" }])
    for (const { id } of stranger.keys) expect(await store.keys.find(id)).toBeNull()
  }))

test("import does not grant credits again if the account's keys exist", () =>
  withFolder(async (folder, out) => {
    await using database = TestDatabase.direct()
    const { store } = database
    const installation = installationOn(store, folder)
    const bob = planned("bob", "from new-api: user 5")
    await applyImport([bob], [], out, installation)
    const named = { ...bob, source: "second", note: `${bob.note} of second` }
    await expect(applyImport([named], [], out, installation)).resolves.toMatchObject({
      accounts: 0,
      grants: 0,
      left_out: [{ name: "bob" }],
    })
    expect(await store.accounts.list()).toHaveLength(1)
  }))

test("import distinguishes a user of a named source from a user whose id contains the source name", () =>
  withFolder(async (folder, out) => {
    await using database = TestDatabase.direct()
    const installation = installationOn(database.store, folder)
    const note = "from LiteLLM: user:bob of prod"
    const sourced = { ...planned("bob", note), source: "prod" }
    await applyImport([sourced], [], out, installation)
    const other = { ...planned("bob", note), keys: planned("other").keys }
    expect(await applyImport([other], [], out, installation)).toMatchObject({
      accounts: 1,
      keys: 2,
    })
    expect(await database.store.accounts.list()).toHaveLength(2)
  }))

test("import skips a closed account", () =>
  withFolder(async (folder, out) => {
    await using database = TestDatabase.direct()
    const { store } = database
    const installation = installationOn(store, folder)
    await applyImport([planned("two")], [], out, installation)
    const [two] = await store.accounts.list()
    await store.accounts.update(two?.id ?? "", { state: "closed" }, AUDIT)
    const more = { ...planned("two"), keys: [...planned("two").keys, ...planned("three").keys] }
    const applied = await applyImport([planned("one"), more], [], out, installation)
    expect(applied).toMatchObject({ accounts: 1, keys: 2, left_out: [{ name: "two" }] })
    const sourced = { ...more, source: "other", note: "from two of other" }
    expect(await applyImport([sourced], [], out, installation)).toMatchObject({ accounts: 0 })
  }))
