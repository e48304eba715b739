import { describe, expect, test } from "bun:test"
import { AUDIT } from "../store/audit-record.ts"
import type { GatewayError } from "../../src/canon/errors.ts"
import type { Store } from "../../src/store/store.ts"
import { TestDatabase } from "../store/test-database.ts"
import { type Pairs, HOUR, ask, bearer, desk } from "./support.ts"

describe("credentials in a request", () => {
  test("can be a bearer token or x-api-key, and the bearer token takes precedence", async () => {
    await using database = TestDatabase.direct()
    await database.account("account", 0n)
    const { keyring, issuer } = await desk(database)
    const first = await issuer.issue({ account: "account", name: "first" })
    const second = await issuer.issue({ account: "account", name: "second" })
    await keyring.refresh()
    expect(ask(keyring, bearer(first.secret))).toBe(first.key.id)
    expect(ask(keyring, { authorization: `bearer   ${first.secret} ` })).toBe(first.key.id)
    expect(ask(keyring, { authorization: first.secret })).toBe(first.key.id)
    expect(ask(keyring, { "x-api-key": second.secret })).toBe(second.key.id)
    const both = { authorization: `Bearer ${first.secret}`, "x-api-key": second.secret }
    expect(ask(keyring, both)).toBe(first.key.id)
    const other = { authorization: "Bearer another vendor's", "x-api-key": second.secret }
    expect(ask(keyring, other)).toBe(second.key.id)
    const bothWrong = { authorization: "Bearer wrong", "x-api-key": "wrong too" }
    expect(ask(keyring, bothWrong)).toBe("invalid_api_key")
  })

  test("can be api-key, which Azure's clients send", async () => {
    await using database = TestDatabase.direct()
    await database.account("account", 0n)
    const { keyring, issuer } = await desk(database)
    const { secret, key } = await issuer.issue({ account: "account", name: "azure" })
    await keyring.refresh()
    expect(ask(keyring, { "api-key": secret })).toBe(key.id)
    expect(ask(keyring, { "api-key": secret, "x-api-key": "wrong" })).toBe(key.id)
  })

  test.each([
    ["no header", {}],
    ["an empty header", { authorization: "" }],
    ["only a scheme", { authorization: "Bearer" }],
    ["a scheme and spaces", { authorization: "Bearer   " }],
    ["an empty x-api-key", { "x-api-key": " " }],
    ["an empty x-goog-api-key", { "x-goog-api-key": " " }],
  ])("cause an error if they are missing: %s", async (_case, headers) => {
    await using database = TestDatabase.direct()
    const { keyring } = await desk(database)
    expect(ask(keyring, headers as Pairs)).toBe("missing_api_key")
  })

  test("cause an error if they are unknown, malformed, duplicated or of another scheme", async () => {
    await using database = TestDatabase.direct()
    await database.account("account", 0n)
    const { keyring, issuer } = await desk(database)
    const { secret } = await issuer.issue({ account: "account", name: "key" })
    const { secret: other } = await issuer.issue({ account: "account", name: "other" })
    await keyring.refresh()
    const wrong: Pairs[] = [
      bearer(`sk-tg-${"a".repeat(43)}`),
      bearer("sk-something-else"),
      bearer(`${secret}x`),
      bearer(secret.slice(0, -1)),
      bearer(secret.toUpperCase()),
      { authorization: `Basic ${btoa(`user:${secret}`)}` },
      { authorization: `Bearer ${secret}, Bearer ${other}` },
      { authorization: `Bearer ${secret}, Bearer ${secret}` },
      { "x-api-key": `${secret}, ${other}` },
      [
        ["authorization", `Bearer ${secret}`],
        ["authorization", `Bearer ${other}`],
      ],
    ]
    for (const headers of wrong) expect(ask(keyring, headers)).toBe("invalid_api_key")
  })

  test("cause a header with the remedy if they are rejected, and never appear in the response", async () => {
    await using database = TestDatabase.direct()
    const { keyring } = await desk(database)
    const secret = `sk-tg-${"q".repeat(43)}`
    try {
      keyring.authenticate(new Headers(bearer(secret)), 0)
      expect.unreachable()
    } catch (error) {
      const { message, details } = error as GatewayError
      expect(message).not.toContain("qqq")
      expect(details.headers).toEqual({ "www-authenticate": 'Bearer error="invalid_token"' })
    }
  })
})

describe("a key in the keyring", () => {
  test("works until it expires", async () => {
    await using database = TestDatabase.direct()
    await database.account("account", 0n)
    const { keyring, issuer } = await desk(database)
    const expiresAt = Date.now() + HOUR
    const { secret, key } = await issuer.issue({ account: "account", name: "key", expiresAt })
    await keyring.refresh()
    expect(ask(keyring, bearer(secret), expiresAt - 1)).toBe(key.id)
    expect(ask(keyring, bearer(secret), expiresAt)).toBe("invalid_api_key")
  })

  test("stops working after its revocation, and keeps the time of the revocation", async () => {
    await using database = TestDatabase.direct()
    await database.account("account", 0n)
    const { keyring, issuer } = await desk(database)
    const { secret, key } = await issuer.issue({ account: "account", name: "key" })
    const { revokedAt } = await issuer.revoke(key.id)
    await keyring.refresh()
    expect(ask(keyring, bearer(secret))).toBe("invalid_api_key")
    expect((await database.store.keys.revoke(key.id, Date.now() + HOUR, AUDIT)).revokedAt).toBe(
      revokedAt,
    )
    await expect(issuer.rotate(key.id, HOUR)).rejects.toMatchObject({ code: "not_found" })
  })

  test("works with both secrets after a rotation until the grace period ends", async () => {
    await using database = TestDatabase.direct()
    await database.account("account", 0n)
    const { keyring, issuer } = await desk(database)
    const first = await issuer.issue({ account: "account", name: "key" })
    const second = await issuer.rotate(first.key.id, HOUR)
    await keyring.refresh()
    const now = Date.now()
    const { id } = first.key
    expect(second.key.id).toBe(id)
    expect(ask(keyring, bearer(first.secret), now)).toBe(id)
    expect(ask(keyring, bearer(second.secret), now)).toBe(id)
    expect(ask(keyring, bearer(first.secret), now + HOUR)).toBe("invalid_api_key")
    expect(ask(keyring, bearer(second.secret), now + HOUR)).toBe(id)
    const [newest, oldest] = second.key.secrets
    expect(newest).toMatchObject({ hint: second.secret.slice(-4), expiresAt: null })
    expect(oldest).toMatchObject({ hint: first.secret.slice(-4) })
  })

  test("does not extend the grace period of an old secret when it is rotated again", async () => {
    await using database = TestDatabase.direct()
    await database.account("account", 0n)
    const { keyring, issuer } = await desk(database)
    const first = await issuer.issue({ account: "account", name: "key" })
    const second = await issuer.rotate(first.key.id, HOUR)
    const third = await issuer.rotate(first.key.id, 10 * HOUR)
    await keyring.refresh()
    const later = Date.now() + 2 * HOUR
    expect(ask(keyring, bearer(first.secret), later)).toBe("invalid_api_key")
    expect(ask(keyring, bearer(second.secret), later)).toBe(first.key.id)
    expect(ask(keyring, bearer(third.secret), later)).toBe(first.key.id)
    expect(third.key.secrets[0]?.hint).toBe(third.secret.slice(-4))
    const fourth = await issuer.rotate(first.key.id, 0)
    await keyring.refresh()
    expect(ask(keyring, bearer(third.secret))).toBe("invalid_api_key")
    expect(ask(keyring, bearer(fourth.secret))).toBe(first.key.id)
  })

  test("has the requested options, and its secret is stored nowhere", async () => {
    await using database = TestDatabase.direct()
    await database.account("account", 0n)
    const { issuer } = await desk(database)
    const order = {
      account: "account",
      name: "key",
      models: ["openai/*"],
      budget: 5n,
      requestsPerMinute: 6,
      tokensPerMinute: 7,
      expiresAt: 8,
    }
    const { secret, key } = await issuer.issue(order)
    expect(key).toMatchObject({ ...order, budgetLeft: 5n, revokedAt: null })
    expect(await database.store.keys.find(key.id)).toEqual(key)
    expect(await database.store.keys.list({ accounts: ["account"], now: 0 }, null, 10)).toEqual([
      key,
    ])
    expect(await database.store.keys.list({ accounts: ["other"], now: 0 }, null, 10)).toEqual([])
    expect(Bun.inspect(key, { depth: 9 })).not.toContain(secret.slice(6, 20))
  })

  test("requires an account", async () => {
    await using database = TestDatabase.direct()
    const { issuer } = await desk(database)
    const issuing = issuer.issue({ account: "nobody", name: "key" })
    await expect(issuing).rejects.toMatchObject({ code: "not_found" })
  })

  test("can access the models that match its globs", async () => {
    await using database = TestDatabase.direct()
    await database.account("account", 0n)
    const { keyring, issuer } = await desk(database)
    const models = ["openai/gpt-4*", "*/claude-?-opus", "local/a.b", "x/[1]|(2)", "**"]
    const allowing = async (globs: string[]) => {
      const { secret } = await issuer.issue({ account: "account", name: "key", models: globs })
      await keyring.refresh()
      return keyring.authenticate(new Headers(bearer(secret)), Date.now()).allows!
    }
    const some = await allowing(models.slice(0, 4))
    const yes = [
      "openai/gpt-4",
      "openai/gpt-4.1-mini",
      "any/claude-4-opus",
      "local/a.b",
      "x/[1]|(2)",
    ]
    const no = [
      "openai/gpt-3",
      "xopenai/gpt-4",
      "any/claude-10-opus",
      "local/aXb",
      "x/1",
      "",
      "OPENAI/gpt-4",
    ]
    for (const model of [...yes, ...yes]) expect([model, some(model)]).toEqual([model, true])
    for (const model of [...no, ...no]) expect([model, some(model)]).toEqual([model, false])
    expect((await allowing(models))("anything/at-all")).toBe(true)
    expect((await allowing([]))("anything/at-all")).toBe(false)
    const { secret } = await issuer.issue({ account: "account", name: "all" })
    await keyring.refresh()
    const all = keyring.authenticate(new Headers(bearer(secret)), Date.now())
    expect(all.allows).toBeUndefined()
  })
})

test("keys are listed in pages, newest first, and can be filtered by account and status", async () => {
  await using database = TestDatabase.direct()
  for (const account of ["a", "b", "c"]) await database.account(account, 0n)
  const insert = (id: string, account: string, createdAt: number, expiresAt: number | null) =>
    database.store.keys.insert(
      {
        id,
        account,
        name: id,
        models: null,
        origins: null,
        isReadOnly: false,
        addresses: null,
        aliases: null,
        budget: null,
        dailyBudget: null,
        monthlyBudget: null,
        requestsPerMinute: null,
        tokensPerMinute: null,
        concurrentRequests: null,
        createdAt,
        createdBy: null,
        expiresAt,
        secret: { hash: `hash of ${id}`, hint: "hint", createdAt, expiresAt: null },
      },
      AUDIT,
    )
  await insert("k1", "a", 10, null)
  await insert("k2", "b", 20, 100)
  await insert("k3", "a", 20, null)
  await insert("k4", "c", 30, null)
  await insert("k5", "a", 40, 200)
  await database.store.keys.revoke("k3", 50, AUDIT)
  const idsOf = async (...order: Parameters<Store["keys"]["list"]>): Promise<string[]> =>
    (await database.store.keys.list(...order)).map(({ id }) => id)
  expect(await idsOf({ now: 60 }, null, 10)).toEqual(["k5", "k4", "k3", "k2", "k1"])
  expect(await idsOf({ now: 60 }, null, 2)).toEqual(["k5", "k4"])
  expect(await idsOf({ now: 60 }, { at: 30, id: "k4" }, 2)).toEqual(["k3", "k2"])
  expect(await idsOf({ now: 60 }, { at: 20, id: "k3" }, 9)).toEqual(["k2", "k1"])
  expect(await idsOf({ accounts: ["a", "b"], now: 60 }, null, 9)).toEqual(["k5", "k3", "k2", "k1"])
  expect(await idsOf({ accounts: [], now: 60 }, null, 9)).toEqual([])
  expect(await idsOf({ status: "active", now: 60 }, null, 9)).toEqual(["k5", "k4", "k2", "k1"])
  expect(await idsOf({ status: "active", now: 100 }, null, 9)).toEqual(["k5", "k4", "k1"])
  expect(await idsOf({ status: "expired", now: 100 }, null, 9)).toEqual(["k2"])
  expect(await idsOf({ status: "revoked", now: 500 }, null, 9)).toEqual(["k3"])
})
