import { expect, test } from "bun:test"
import { Upkeep } from "../../src/app/upkeep.ts"
import { until } from "../support/until.ts"

test("a database is prepared again and again, also after a failure, until the node ends", async () => {
  let calls = 0
  const failures: unknown[] = []
  const database = {
    async prepare() {
      if (++calls === 2) throw new Error("away")
    },
  }
  {
    await using upkeep = new Upkeep(database, (error) => failures.push(error), 5)
    expect(upkeep).toBeDefined()
    await until(() => calls >= 4)
  }
  const after = calls
  await Bun.sleep(20)
  expect(calls).toBe(after)
  expect(failures).toHaveLength(1)
})
