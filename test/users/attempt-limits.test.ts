import { expect, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { asGatewayError } from "../../src/canon/errors.ts"
import { openConsoleFile } from "../../src/store/sqlite/console-file.ts"
import { clientNetwork } from "../../src/users/client-network.ts"
import { AttemptLimits, PER_ADDRESS, PER_USER } from "../../src/users/attempt-limits.ts"

/** Returns whether an address may try to sign in as a user at a time. */
type Try = (address: string, user: string, now?: number) => Promise<boolean>

async function withLimits(work: (isLetIn: Try) => Promise<void>): Promise<void> {
  const data = mkdtempSync(join(tmpdir(), "tollgate-attempts-"))
  const store = openConsoleFile(data)
  const limits = new AttemptLimits(store)
  try {
    await work(async (address, user, now = 1_000) => {
      try {
        await limits.begin(
          [
            { key: `address:${address}`, ...PER_ADDRESS },
            { key: `user:${user}`, ...PER_USER },
          ],
          now,
        )
        return true
      } catch (error) {
        expect(asGatewayError(error).kind).toBe("too_many_attempts")
        return false
      }
    })
  } finally {
    store[Symbol.dispose]()
    rmSync(data, { recursive: true, force: true })
  }
}

test("an IP address with too many attempts does not lock out other addresses", () =>
  withLimits(async (isLetIn) => {
    for (let time = 0; time < PER_ADDRESS.max; time++) await isLetIn("evil", `user-${time % 6}`)
    expect(await isLetIn("evil", "ada")).toBe(false)
    for (let time = 0; time < 100; time++) await isLetIn("evil", "ada")
    expect(await isLetIn("home", "ada")).toBe(true)
    for (let time = 1; time < PER_USER.max; time++) expect(await isLetIn("home", "ada")).toBe(true)
    expect(await isLetIn("home", "ada")).toBe(false)
    expect(await isLetIn("home", "ada", 1_000 + PER_USER.window)).toBe(true)
  }))

test("users are not locked out longer if the clock is set back", () =>
  withLimits(async (isLetIn) => {
    const year = 365 * 24 * 3_600_000
    for (let time = 0; time <= PER_USER.max; time++) await isLetIn("home", "ada", year)
    expect(await isLetIn("home", "ada", year)).toBe(false)
    expect(await isLetIn("home", "ada", 1_000)).toBe(true)
  }))

test.each([
  [null, "unknown"],
  ["203.0.113.9", "203.0.113.9"],
  ["::ffff:203.0.113.9", "::ffff:203.0.113.9"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:0db8:0001:2::", "2001:db8:1:2::/64"],
  ["2001:db8::1", "2001:db8:0:0::/64"],
  ["2001:DB8:0:0:ffff::1", "2001:db8:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
])("attempts from the address %s count toward the limit of %s", (address, network) => {
  expect(clientNetwork(address)).toBe(network)
})
