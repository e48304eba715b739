import { expect, test } from "bun:test"
import { AUDIT } from "../audit-record.ts"
import { type Engine, rejectionOf } from "../engines.ts"
import { TestDatabase } from "../test-database.ts"

/** Tests that an engine fulfills this contract. */
export function backupContract(engine: Engine): void {
  test("the last backup to each destination is listed with the latest interval", async () => {
    await using database = await TestDatabase.on(engine)
    const other = await database.another()
    const { backups, audit } = database.store
    expect(await backups.list()).toEqual([])
    await backups.record({ place: "s3://shelf", at: 1_700_000_000_000, every: 3_600_000 }, AUDIT)
    await backups.record({ place: "/mnt", at: 1_700_000_000_005, every: null }, AUDIT)
    await other.backups.record({ place: "s3://shelf", at: 1_700_000_000_009, every: null }, AUDIT)
    expect(await other.backups.list()).toEqual([
      { place: "s3://shelf", at: 1_700_000_000_009, every: 3_600_000 },
      { place: "/mnt", at: 1_700_000_000_005, every: null },
    ])
    await backups.record({ place: "s3://shelf", at: 1_700_000_000_010, every: 60_000 }, AUDIT)
    expect((await backups.list())[0]?.every).toBe(60_000)
    expect(await audit.list({}, null, 10)).toHaveLength(4)
    const broken = { ...AUDIT, claim: "of nobody" }
    const rejected = backups.record({ place: "x", at: 1, every: null }, broken)
    expect(await rejectionOf(rejected)).toBe("conflict")
    expect(await backups.list()).toHaveLength(2)
  })
}
