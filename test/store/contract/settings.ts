import { expect, test } from "bun:test"
import type { SettingChange } from "../../../src/store/settings.ts"
import { AUDIT } from "../audit-record.ts"
import { TestDatabase } from "../test-database.ts"
import { type Engine, rejectionOf } from "../engines.ts"

function change(id: string, body: string | null, replaces: number | null): SettingChange {
  return { section: "setting", id, body, encrypted: null, replaces }
}

/** Tests that an engine fulfills this contract. */
export function settingContract(engine: Engine): void {
  test("settings are changed together or not at all", async () => {
    await using database = await TestDatabase.on(engine)
    const { settings } = database.store
    const nothing = await settings.read()
    expect(nothing.records).toEqual([])
    const first = await settings.change([change("a", "1", null), change("b", "2", null)], 5, AUDIT)
    expect(first.records).toMatchObject([
      { id: "a", body: "1", changedAt: 5 },
      { id: "b", body: "2", changedAt: 5 },
    ])
    expect(first.revision).toBeGreaterThan(nothing.revision)
    const { revision } = first
    const stale = settings.change([change("a", "3", revision), change("b", "4", null)], 6, AUDIT)
    expect(await rejectionOf(stale)).toBe("conflict")
    expect(await settings.read()).toEqual(first)
    const second = await settings.change([change("a", null, revision)], 7, AUDIT)
    expect(second.records.map(({ id }) => id)).toEqual(["b"])
    expect(second.revision).toBeGreaterThan(revision)
  })

  test("one of two simultaneous changes of a setting is rejected", async () => {
    await using database = await TestDatabase.on(engine)
    const other = await database.another()
    const outcomes = await Promise.all(
      [database.store, other].map((store) =>
        rejectionOf(store.settings.change([change("a", "1", null)], 5, AUDIT)),
      ),
    )
    expect(outcomes.filter((rejection) => rejection === "conflict")).toHaveLength(1)
  })

  test("a price group cannot be removed while it has accounts", async () => {
    await using database = await TestDatabase.on(engine)
    const { settings, accounts } = database.store
    const groups = ["partners", "part"].map((id) => ({
      ...change(id, "{}", null),
      section: "price_group" as const,
    }))
    const { revision } = await settings.change(groups, 5, AUDIT)
    const account = { id: "acc_member", name: "member", createdAt: 1 }
    await accounts.create({ ...account, limits: { priceGroup: "partners" } }, AUDIT)
    const remove = (id: string) =>
      settings.change([{ ...change(id, null, revision), section: "price_group" }], 6, AUDIT)
    expect(await rejectionOf(remove("partners"))).toBe("conflict")
    expect((await remove("part")).records.map(({ id }) => id)).toEqual(["partners"])
    await accounts.update(account.id, { limits: {} }, AUDIT)
    expect((await remove("partners")).records).toEqual([])
  })
}
