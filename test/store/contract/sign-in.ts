import { expect, test } from "bun:test"
import type { ConsoleStore } from "../../../src/store/console-store.ts"
import type { PasskeyRecord } from "../../../src/store/passkeys.ts"
import type { UserInput } from "../../../src/store/users.ts"
import type { Engine } from "../engines.ts"
import { TemporaryDirectory } from "../test-database.ts"

const NOW = 1_700_000_000_000
const HOUR = 3_600_000
const KIND = "challenge"

/** Opens the same users twice, as two processes would. */
async function withTwo(
  engine: Engine,
  work: (one: ConsoleStore, other: ConsoleStore) => Promise<void>,
): Promise<void> {
  using folder = new TemporaryDirectory()
  using one = await engine.users(folder.path)
  using other = await engine.users(folder.path)
  await work(one, other)
}

function user(name: string, change: Partial<UserInput> = {}): UserInput {
  return {
    id: name,
    name: `Name of ${name}`,
    email: `${name}@example.com`,
    passwordHash: "hash",
    identity: null,
    isFirst: false,
    createdAt: NOW,
    ...change,
  }
}

function session(id: string, of = "ada") {
  return {
    id,
    tokenHash: `hash of ${id}`,
    user: of,
    isRemembered: true,
    createdAt: NOW,
    expiresAt: NOW + HOUR,
    address: "192.0.2.1",
    agent: null,
    passwordHash: "hash",
  }
}

function proof(hash: string, expiresAt = NOW + HOUR) {
  return { kind: KIND, hash, user: "ada", value: "value", expiresAt } as const
}

/** Tests that an engine fulfills this contract. */
export function signInContract(engine: Engine): void {
  usersContract(engine)
  sessionsContract(engine)
  credentialsContract(engine)
  passkeysContract(engine)
}

function passkey(id: string, change: Partial<PasskeyRecord> = {}): PasskeyRecord {
  return {
    id,
    user: "ada",
    credential: `credential of ${id}`,
    publicKey: "key",
    counter: 0,
    transports: ["internal", "hybrid"],
    name: "laptop",
    createdAt: NOW,
    lastUsedAt: null,
    ...change,
  }
}

function passkeysContract(engine: Engine): void {
  test("a passkey belongs to its user and is found by its credential", () =>
    withTwo(engine, async (one, other) => {
      await one.users.create(user("ada", { isFirst: true }))
      await one.users.create(user("bob"))
      const first = passkey("first")
      expect(await one.passkeys.create(first, 2)).toBe(true)
      expect(await other.passkeys.findByCredential(first.credential)).toEqual(first)
      expect(await other.passkeys.findByCredential("another")).toBeNull()
      const { credential } = first
      expect(await other.passkeys.create(passkey("x", { user: "bob", credential }), 2)).toBe(false)
      const both = ["second", "third"].map((id) => other.passkeys.create(passkey(id), 2))
      expect((await Promise.all(both)).toSorted()).toEqual([false, true])
      expect(await one.passkeys.list("ada")).toHaveLength(2)
      expect(await one.passkeys.rename("bob", "first", "phone")).toBe(false)
      expect(await one.passkeys.remove("bob", "first")).toBe(false)
      expect(await one.passkeys.rename("ada", "first", "phone")).toBe(true)
      expect(await other.passkeys.findByCredential(credential)).toMatchObject({ name: "phone" })
      expect(await one.passkeys.remove("ada", "first")).toBe(true)
      expect(await one.passkeys.remove("ada", "first")).toBe(false)
      await one.passkeys.removeAll("ada")
      expect(await other.passkeys.list("ada")).toEqual([])
    }))

  test("a passkey's counter can only increase, unless the passkey has no counter", () =>
    withTwo(engine, async (one, other) => {
      await one.users.create(user("ada", { isFirst: true }))
      await one.passkeys.create(passkey("first"), 2)
      expect(await one.passkeys.use("first", 0, NOW)).toBe(true)
      expect(await one.passkeys.use("first", 0, NOW)).toBe(true)
      const both = [one, other].map(({ passkeys }) => passkeys.use("first", 3, NOW + 1))
      expect((await Promise.all(both)).toSorted()).toEqual([false, true])
      expect(await one.passkeys.use("first", 0, NOW)).toBe(false)
      const used = { counter: 3, lastUsedAt: NOW + 1 }
      expect(await other.passkeys.list("ada")).toEqual([passkey("first", used)])
    }))

  test("a disabled user cannot add passkeys, and a deleted user has no passkeys", () =>
    withTwo(engine, async (one, other) => {
      await one.users.create(user("olga", { isFirst: true }))
      await one.users.create(user("ada"))
      await one.passkeys.create(passkey("first"), 2)
      await one.users.change("ada", { isDisabled: true })
      expect(await other.passkeys.create(passkey("second"), 2)).toBe(false)
      expect(await other.users.remove("olga")).toBe(false)
      expect(await other.users.remove("ada")).toBe(true)
      expect(await other.users.remove("ada")).toBe(true)
      expect(await one.passkeys.findByCredential("credential of first")).toBeNull()
      expect(await one.passkeys.create(passkey("third"), 2)).toBe(false)
    }))
}

function usersContract(engine: Engine): void {
  test("users can change their name and email address, and email addresses are unique", () =>
    withTwo(engine, async (one, other) => {
      await one.users.create(user("ada", { isFirst: true }))
      await one.users.create(user("bob"))
      const change = { name: "Ada King", email: "king@example.com" }
      expect(await one.users.change("ada", change)).toBe("changed")
      expect(await other.users.find("ada")).toMatchObject({ ...change, isOperator: true })
      expect(await other.users.findByEmail("ada@example.com")).toBeNull()
      expect(await one.users.change("ada", { email: "king@example.com" })).toBe("changed")
      expect(await one.users.change("bob", change)).toBe("email_taken")
      expect(await one.users.find("bob")).toMatchObject({ name: "Name of bob" })
      expect(await one.users.change("nobody", change)).toBe("not_found")
      // Fields that are absent from the change stay the same.
      expect(await one.users.change("ada", { name: "Ada" })).toBe("changed")
      expect(await other.users.find("ada")).toMatchObject({ name: "Ada", email: change.email })
    }))

  test("a user is found by id, email address and identity", () =>
    withTwo(engine, async (one, other) => {
      const identity = { provider: "google", subject: "s" }
      expect(await one.users.create(user("ada"))).toBe("created")
      const bob = user("bob", { identity, passwordHash: null, createdAt: NOW + 1 })
      expect(await other.users.create(bob)).toBe("created")
      expect(await other.users.create(user("eve", { email: "ada@example.com" }))).toBe(
        "email_taken",
      )
      const found = await one.users.findByIdentity(identity)
      expect(found).toEqual({
        id: "bob",
        name: "Name of bob",
        email: "bob@example.com",
        isOperator: false,
        isDisabled: false,
        hasTwoFactor: false,
        hasPassword: false,
        createdAt: NOW + 1,
        lastSeenAt: null,
      })
      // The identity stays linked to its user.
      await one.users.link("ada", identity, NOW)
      expect((await one.users.findByIdentity(identity))?.id).toBe("bob")
      expect(await other.users.identities("bob")).toEqual([identity])
      expect(await other.users.identities("ada")).toEqual([])
      await one.users.seen("bob", NOW + 5)
      expect(await other.users.findByEmail("bob@example.com")).toMatchObject({
        lastSeenAt: NOW + 5,
      })
      expect([...(await one.users.many(["ada", "nobody"])).keys()]).toEqual(["ada"])
      expect(await one.users.passwordHash("ada")).toBe("hash")
      expect(await one.users.passwordHash("bob")).toBeNull()
      expect(await one.users.find("nobody")).toBeNull()
    }))

  test("an identity linked as the only sign-in method removes all other sign-in methods", () =>
    withTwo(engine, async (one, other) => {
      const link = (subject: string, provider = "company") => ({ provider, subject })
      await one.users.create(user("ada", { identity: link("a", "kept") }))
      await one.users.create(user("bob"))
      await one.users.link("ada", link("b", "open"), NOW)
      await one.users.link("ada", link("c"), NOW)
      await one.sessions.create(session("s1"), null)
      await one.proofs.create(proof("p1"))
      await one.passkeys.create(passkey("first"), 2)
      await one.secondFactors.begin("ada", "secret", "codes")
      expect(await other.users.linkAlone("ada", link("new"), NOW, ["kept", "company"])).toBe(true)
      expect(await one.users.identities("ada")).toEqual([link("new"), link("a", "kept")])
      expect(await one.users.passwordHash("ada")).toBeNull()
      expect(await one.sessions.find("hash of s1", NOW)).toBeNull()
      expect(await one.proofs.find(KIND, "p1", NOW)).toBeNull()
      expect(await one.passkeys.list("ada")).toEqual([])
      expect(await one.secondFactors.find("ada")).not.toBeNull()
      // A password change that began before this one must not restore a session.
      expect(await one.users.setPassword("ada", "another", "hash")).toBe(false)
      expect(await one.users.passwordHash("ada")).toBeNull()
      expect(await one.users.linkAlone("bob", link("new"), NOW, [])).toBe(false)
      await one.users.change("bob", { isDisabled: true })
      expect(await one.users.linkAlone("bob", link("b2"), NOW, [])).toBe(false)
      expect(await other.users.passwordHash("bob")).toBe("hash")
    }))

  test("users are listed oldest first, page by page, filtered by a part of their name or email address", () =>
    withTwo(engine, async ({ users }) => {
      for (const name of ["c", "a", "b"]) await users.create(user(name))
      await users.create(user("late", { name: "50% _ O'Hara", createdAt: NOW + 1 }))
      const idsOf = async (filter: Parameters<typeof users.list>[0]) =>
        (await users.list(filter)).map(({ id }) => id)
      expect(await idsOf({ limit: 2 })).toEqual(["a", "b"])
      expect(await idsOf({ limit: 9, after: { createdAt: NOW, id: "b" } })).toEqual(["c", "late"])
      for (const search of ["50% _", "o'hara", "LATE@"]) {
        expect(await idsOf({ search, limit: 9 })).toEqual(["late"])
      }
      expect(await idsOf({ search: "%", limit: 9 })).toEqual(["late"])
    }))

  test("simultaneous requests create only one first user, and one operator remains", () =>
    withTwo(engine, async (one, other) => {
      const made = await Promise.all(
        ["a", "b", "c", "d"].map((name, index) =>
          (index % 2 === 0 ? one : other).users.create(user(name, { isFirst: true })),
        ),
      )
      expect(made.toSorted()).toEqual(["created", ...Array(3).fill("operator_exists")])
      const [first] = await one.users.list({ limit: 9 })
      await one.users.create(user("second"))
      expect(await one.users.change("nobody", {})).toBe("not_found")
      expect(await one.users.change("second", { isOperator: true })).toBe("changed")
      const gone = await Promise.all([
        one.users.change(first?.id ?? "", { isOperator: false }),
        other.users.change("second", { isDisabled: true }),
      ])
      expect(gone.toSorted()).toEqual(["changed", "last_operator"])
      expect(await one.users.hasOperator()).toBe(true)
    }))
}

function sessionsContract(engine: Engine): void {
  test("a session is valid in every process until it ends or expires", () =>
    withTwo(engine, async (one, other) => {
      await one.users.create(user("ada"))
      expect(await one.sessions.create(session("s1"), null)).toBe(true)
      const found = { id: "s1", user: "ada", expiresAt: NOW + HOUR, isRemembered: true }
      expect(await other.sessions.find("hash of s1", NOW)).toEqual(found)
      expect(await other.sessions.find("hash of s1", NOW + HOUR)).toBeNull()
      await other.sessions.renew("s1", NOW + 2 * HOUR)
      expect(await one.sessions.find("hash of s1", NOW + HOUR)).not.toBeNull()
      expect(await one.sessions.create(session("s2"), "s1")).toBe(true)
      expect((await other.sessions.list("ada", NOW)).map(({ id }) => id)).toEqual(["s2"])
      expect(await other.sessions.end("bob", "s2")).toBe(false)
      expect(await other.sessions.end("ada", "s2")).toBe(true)
      expect(await one.sessions.find("hash of s2", NOW)).toBeNull()
    }))

  test("a disabled user or a user with a changed password gets no session and keeps none", () =>
    withTwo(engine, async (one, other) => {
      await one.users.create(user("ada"))
      await one.sessions.create(session("s1"), null)
      await other.proofs.create(proof("p1"))
      await other.users.setPassword("ada", "another")
      expect(await one.sessions.list("ada", NOW)).toEqual([])
      expect(await one.proofs.find(KIND, "p1", NOW)).toBeNull()
      expect(await one.sessions.create(session("s2"), null)).toBe(false)
      const right = { ...session("s3"), passwordHash: "another" }
      expect(await one.sessions.create(right, null)).toBe(true)
      await other.users.change("ada", { isDisabled: true })
      expect(await one.sessions.list("ada", NOW)).toEqual([])
      expect(await one.sessions.create({ ...right, passwordHash: null }, null)).toBe(false)
      expect(await one.sessions.create(session("s4", "nobody"), null)).toBe(false)
    }))
}

function credentialsContract(engine: Engine): void {
  test("a proof is valid once and for one kind only, and attempts are counted", () =>
    withTwo(engine, async (one, other) => {
      await one.users.create(user("ada"))
      await one.proofs.create(proof("once"))
      expect(await other.proofs.find(KIND, "once", NOW)).toEqual(proof("once"))
      expect(await other.proofs.take("oidc", "once", NOW)).toBeNull()
      const taken = await Promise.all(
        [one, other, one, other].map(({ proofs }) => proofs.take(KIND, "once", NOW)),
      )
      expect(taken.filter((each) => each !== null)).toEqual([proof("once")])
      await one.proofs.create(proof("counted"))
      const attempts = await Promise.all(
        [one, other, one, other, one].map(({ proofs }) => proofs.countAttempt(KIND, "counted", 3)),
      )
      expect(attempts.filter(Boolean)).toHaveLength(3)
      expect(await one.proofs.find(KIND, "counted", NOW)).toBeNull()
      await one.proofs.create({ ...proof("of no one"), user: null })
      await one.proofs.endAll("ada")
      expect(await other.proofs.find(KIND, "of no one", NOW)).toMatchObject({ user: null })
      await one.proofs.create(proof("old", NOW))
      await one.sweep(NOW)
      expect(await one.proofs.take(KIND, "old", NOW - 1)).toBeNull()
    }))

  test("an authenticator code is valid once, and wrong codes lock the factor", () =>
    withTwo(engine, async (one, other) => {
      await one.users.create(user("ada"))
      expect(await one.secondFactors.begin("ada", "first", "codes")).toBe(true)
      expect(await one.secondFactors.begin("ada", "secret", "codes")).toBe(true)
      expect((await one.users.find("ada"))?.hasTwoFactor).toBe(false)
      const used = await Promise.all(
        [one, other].map(({ secondFactors }) => secondFactors.useStep("ada", 7, 9)),
      )
      expect(used.toSorted()).toEqual([false, true])
      expect((await other.users.find("ada"))?.hasTwoFactor).toBe(true)
      expect(await one.secondFactors.begin("ada", "third", "codes")).toBe(false)
      expect(await one.secondFactors.useStep("ada", 6, 9)).toBe(false)
      // The clock was set back, so the last used step is in the future.
      expect(await one.secondFactors.useStep("ada", 3, 5)).toBe(true)
      const lock = { max: 3, duration: HOUR }
      await Promise.all(
        [one, other, one].map(({ secondFactors }) => secondFactors.fail("ada", NOW, lock)),
      )
      const locked = { secret: "secret", backupCodes: "codes", isActive: true }
      expect(await other.secondFactors.find("ada")).toEqual({ ...locked, lockedUntil: NOW + HOUR })
      await one.secondFactors.succeed("ada")
      expect(await other.secondFactors.find("ada")).toEqual({ ...locked, lockedUntil: null })
      const replaced = await Promise.all(
        [one, other].map(({ secondFactors }) =>
          secondFactors.replaceBackupCodes("ada", "codes", "fewer"),
        ),
      )
      expect(replaced.toSorted()).toEqual([false, true])
      await one.proofs.create({ ...proof("trusted"), kind: "trusted-browser" })
      await other.secondFactors.remove("ada")
      expect(await one.secondFactors.find("ada")).toBeNull()
      expect(await one.proofs.find("trusted-browser", "trusted", NOW)).toBeNull()
    }))

  test("attempts of all processes are counted together, and the count restarts after a period", () =>
    withTwo(engine, async (one, other) => {
      const attempts = [
        { key: "address:a", max: 3, window: HOUR },
        { key: "user:u", max: 2, window: HOUR },
      ]
      const waits = await Promise.all(
        [one, other, one, other].map((store) => store.attempts.count(attempts, NOW)),
      )
      expect(waits.toSorted((left, right) => left - right)).toEqual([0, 0, HOUR, HOUR])
      await one.attempts.takeBack(["address:a", "user:u"])
      await other.attempts.takeBack(["address:a", "user:u"])
      expect(await other.attempts.count(attempts, NOW + 1)).toBe(0)
      expect(await one.attempts.count(attempts, NOW + HOUR)).toBe(0)
      // The clock was set back.
      expect(await one.attempts.count(attempts, NOW - 2 * HOUR)).toBe(0)
    }))
}
