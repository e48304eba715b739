import { describe, expect, test } from "bun:test"
import { TestDatabase } from "../test-database.ts"
import type { Engine } from "../engines.ts"

const FAILED = { deployment: "d", event: "failed", cooldownMs: 2_000 } as const

/** Tests that an engine fulfills this contract. */
export function deploymentReportContract(engine: Engine): void {
  describe("a report on a deployment", () => {
    test("reaches another node once, with the reporting node and its age", async () => {
      await using database = await TestDatabase.on(engine)
      const { nodes, deploymentReports: reports } = database.store
      const other = await database.another()
      const { deploymentRevision: before } = await other.nodes.poll("two", null)
      await reports.report("one", [FAILED, { ...FAILED, event: "rejected", cooldownMs: 60_000 }])
      const { deploymentRevision: revision } = await nodes.poll("two", null)
      expect(revision).toBeGreaterThan(before)
      const [failed, rejected, ...more] = await other.deploymentReports.after(before)
      expect(failed).toMatchObject({ deployment: "d", event: "failed", node: "one" })
      expect(failed?.age).toBeWithin(0, 1_000)
      expect(failed?.cooldownMs).toBeWithin(1_000, 2_001)
      expect(rejected?.cooldownMs).toBeWithin(59_000, 60_001)
      expect(more).toEqual([])
      expect(await other.deploymentReports.after(revision)).toEqual([])
    })

    test("replaces an earlier report of the same event without shortening a vendor's cooldown", async () => {
      await using database = await TestDatabase.on(engine)
      const { deploymentReports: reports } = database.store
      const overloaded = { deployment: "d", event: "overloaded" } as const
      await reports.report("one", [FAILED, { ...overloaded, cooldownMs: 50_000 }])
      await reports.report("two", [
        { ...FAILED, cooldownMs: 8_000 },
        { ...overloaded, cooldownMs: 1 },
      ])
      const [failed, wait, ...more] = await reports.after(0)
      expect(failed).toMatchObject({ node: "two" })
      expect(failed?.cooldownMs).toBeWithin(7_000, 8_001)
      expect(wait?.cooldownMs).toBeWithin(49_000, 50_001)
      expect(more).toEqual([])
    })

    test("reaches all readers even if many reports are simultaneous", async () => {
      await using database = await TestDatabase.on(engine)
      const { nodes, deploymentReports: reports } = database.store
      const seen = new Set<string>()
      let revision = 0
      const look = async () => {
        const { deploymentRevision: next } = await nodes.poll("reader", null)
        for (const { deployment } of await reports.after(revision)) seen.add(deployment)
        revision = next
      }
      const names = Array.from({ length: 40 }, (_, index) => `d${index % 20}-${index}`)
      const writing = Promise.all(
        names.map((deployment) =>
          reports.report("one", [
            { ...FAILED, deployment },
            { ...FAILED, deployment: "common" },
          ]),
        ),
      )
      for (let looks = 0; looks < 10; looks++) await look()
      await writing
      await look()
      expect([...seen].toSorted()).toEqual([...names, "common"].toSorted())
    })
  })
}
