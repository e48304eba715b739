import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "bun:test"
import { applyImport, type ImportInstallation } from "../../../src/cli/import/apply.ts"
import type { PlannedAccount } from "../../../src/cli/import/plan.ts"
import { Audit } from "../../../src/management/audit.ts"
import type { Store } from "../../../src/store/store.ts"
import { AUDIT } from "../../store/audit-record.ts"
import { hasher } from "../../keys/support.ts"
import { TestDatabase } from "../../store/test-database.ts"

function planned(name: string): PlannedAccount {
  const key = (id: string) => ({
    id: `key_${Bun.hash(name + id).toString(16)}`,
    input: { name: id },
    secret: undefined,
    isPaused: false,
  })
  const keys = [key("first"), key("second")]
  return { name, limits: {}, isPaused: false, credits: 5n, note: `from ${name}`, keys }
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

test("import writes nothing if one of its accounts cannot be written", () =>
  withFolder(async (folder, out) => {
    await using database = TestDatabase.direct()
    const { store } = database
    await store.accounts.create({ id: "acc", name: "two", createdAt: 1 }, AUDIT)
    await store.accounts.update("acc", { state: "closed" }, AUDIT)
    const files = [{ path: out, text: "providers: {}\n" }]
    const run = () => applyImport(PLAN, files, out, installationOn(store, folder))
    await expect(run()).rejects.toThrow("the account 'two' is closed")
    expect((await store.accounts.list()).map(({ name }) => name)).toEqual(["two"])
    expect(readdirSync(folder)).toEqual([])
    await store.accounts.update("acc", { state: "active" }, AUDIT)
    expect(await run()).toMatchObject({ accounts: 1, keys: 4, grants: 2, present: 1 })
    expect(await run()).toMatchObject({ accounts: 0, keys: 0, grants: 0, present: 6 })
  }))

test("import completes a killed run with the secrets that it had written", () =>
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

test("import finds accounts that were renamed since, and grants their credits once", () =>
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
