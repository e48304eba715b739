import { expect, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { GatewayError } from "../../src/canon/errors.ts"
import { Attempts, PER_ADDRESS, PER_USER } from "../../src/users/failed-attempts.ts"
import { openConsoleDatabase } from "../../src/store/console-database.ts"

test("an address that tries too much locks no one out any more", () => {
  const data = mkdtempSync(join(tmpdir(), "tollgate-attempts-"))
  const database = openConsoleDatabase(data)
  try {
    const attempts = new Attempts(database)
    const isLetIn = (address: string, user: string, now = 1_000): boolean => {
      try {
        attempts.begin(
          [
            { key: `address:${address}`, limit: PER_ADDRESS },
            { key: `user:${user}`, limit: PER_USER },
          ],
          now,
        )
        return true
      } catch (error) {
        expect((error as GatewayError).kind).toBe("too_many_attempts")
        return false
      }
    }
    for (let time = 0; time < PER_ADDRESS.max; time++) isLetIn("evil", `user-${time % 6}`)
    expect(isLetIn("evil", "ada")).toBe(false)
    for (let time = 0; time < 100; time++) isLetIn("evil", "ada")
    expect(isLetIn("home", "ada")).toBe(true)
    for (let time = 1; time < PER_USER.max; time++) expect(isLetIn("home", "ada")).toBe(true)
    expect(isLetIn("home", "ada")).toBe(false)
    expect(isLetIn("home", "ada", 1_000 + PER_USER.window)).toBe(true)
  } finally {
    database.close()
    rmSync(data, { recursive: true, force: true })
  }
})
