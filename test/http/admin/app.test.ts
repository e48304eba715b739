import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { TestGateway } from "../../support/gateway.ts"
import { ADMIN_TOKEN, ask, asked, errorOf, startManaged } from "./support.ts"

let gateway: TestGateway

beforeAll(async () => {
  gateway = await startManaged()
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
})

describe("management API authentication", () => {
  test("returns 401 not_signed_in for a request without credentials", async () => {
    const response = await ask({ url: gateway.url, headers: {} }, "GET", "/accounts")
    expect(response.status).toBe(401)
    expect(response.headers.get("www-authenticate")).toBe("Bearer")
    expect((await errorOf(response)).error_type).toBe("not_signed_in")
  })

  test("accepts the admin token as the operator", async () => {
    expect(await asked(gateway, "GET", "/accounts")).toMatchObject({ object: "list", data: [] })
  })

  test.each(["wrong", `${ADMIN_TOKEN}x`, ADMIN_TOKEN.slice(1), "\u00e4".repeat(5)])(
    "rejects a wrong token: %s",
    async (token) => {
      const headers = { authorization: `Bearer ${token}` }
      const response = await ask({ url: gateway.url, headers }, "GET", "/accounts")
      expect(response.status).toBe(401)
      expect(await response.text()).not.toContain(ADMIN_TOKEN)
    },
  )

  test("rejects every token, even an empty one, if no admin token is configured", async () => {
    await using bare = await startManaged({ settings: { adminToken: "" } })
    for (const token of ["", "undefined", ADMIN_TOKEN]) {
      const headers = { authorization: `Bearer ${token}` }
      const response = await ask({ url: bare.url, headers }, "GET", "/accounts")
      expect(response.status).toBe(401)
      await response.body?.cancel()
    }
  })

  test("rejects a gateway key in any header", async () => {
    const caller = await gateway.caller()
    for (const headers of [
      { authorization: `Bearer ${caller.key}` },
      { "x-api-key": caller.key },
    ] as Record<string, string>[]) {
      const response = await ask({ url: gateway.url, headers }, "GET", "/accounts")
      expect(response.status).toBe(403)
      expect((await errorOf(response)).error_type).toBe("forbidden")
    }
  })
})

describe("management API validation", () => {
  test("gives every response a request id and forbids caching", async () => {
    for (const path of ["/accounts", "/accounts/acc_none", "/nothing"]) {
      const response = await ask(gateway, "GET", path)
      expect(response.headers.get("x-request-id")).toStartWith("req_")
      expect(response.headers.get("cache-control")).toBe("no-store")
      await response.body?.cancel()
    }
  })

  test("rejects unknown paths and unsupported methods", async () => {
    const unknown = await ask(gateway, "GET", "/nothing/here")
    expect(unknown.status).toBe(404)
    expect((await errorOf(unknown)).error_type).toBe("not_found")
    const wrong = await ask(gateway, "PUT", "/accounts", {})
    expect(wrong.status).toBe(405)
    expect(wrong.headers.get("allow")).toBe("GET, POST")
  })

  test("returns the first invalid field as the error and lists all invalid fields", async () => {
    const response = await ask(gateway, "POST", "/accounts", { name: "  ", credits: "0", nmae: 1 })
    expect(response.status).toBe(400)
    const error = await errorOf(response)
    expect(error).toMatchObject({
      message: "'name' must not be empty.",
      param: "name",
      error_type: "invalid_value",
    })
    expect(error.errors).toEqual([
      { param: "name", message: "Must not be empty." },
      { param: "credits", message: "Must be credits above zero, such as 12.50." },
      { param: "nmae", message: "Is unknown: check its spelling or omit it." },
    ])
  })

  test.each([
    [{}, "missing_required_parameter", "'name' is missing."],
    [{ name: null }, "invalid_type", "'name' must be text."],
    [{ name: 5 }, "invalid_type", "'name' must be text."],
    [
      { name: "x".repeat(101) },
      "string_above_max_length",
      "'name' must have at most 100 characters.",
    ],
    [{ name: "x", credits: 5 }, "invalid_type", "'credits' must be text."],
    [
      { name: "x", __proto__x: 5 },
      "invalid_value",
      "'__proto__x' is unknown: check its spelling or omit it.",
    ],
  ])("rejects the invalid body %#", async (body, kind, message) => {
    const response = await ask(gateway, "POST", "/accounts", body)
    expect(response.status).toBe(400)
    expect(await errorOf(response)).toMatchObject({ error_type: kind, message })
  })

  test.each([
    ["limit=0", "below_min_value", "limit"],
    ["limit=201", "above_max_value", "limit"],
    ["limit=ten", "invalid_type", "limit"],
    ["cursor=zzz", "invalid_value", "cursor"],
    ["limit=1&limit=2", "invalid_value", "limit"],
    ["page=2", "invalid_value", "page"],
  ])("rejects the invalid query %s", async (query, kind, parameter) => {
    const response = await ask(gateway, "GET", `/accounts?${query}`)
    expect(response.status).toBe(400)
    expect(await errorOf(response)).toMatchObject({ error_type: kind, param: parameter })
  })

  test.each([
    [["x"]],
    [["x", "y"]],
    [[1e300, "a"]],
    [[1.5, "a"]],
    [[8.7e15, "a"]],
    [["9".repeat(30)]],
    [[1]],
    [[null]],
    [{}],
  ])("rejects a forged cursor, or returns an empty page: %j", async (position) => {
    const cursor = Buffer.from(JSON.stringify(position)).toString("base64url")
    const byTime = ["/accounts", "/keys", "/members", "/members/invitations", "/users"]
    for (const path of byTime) {
      const response = await ask(gateway, "GET", `${path}?cursor=${cursor}`)
      expect({ path, status: response.status }).toEqual({ path, status: 400 })
      expect((await errorOf(response)).param).toBe("cursor")
    }
    for (const path of ["/codes", "/receipts", "/audit", "/models", "/providers"]) {
      const response = await ask(gateway, "GET", `${path}?cursor=${cursor}`)
      expect([path, [200, 400].includes(response.status)]).toEqual([path, true])
      await response.body?.cancel()
    }
  })

  test.each(["evil.example.com:99999", "[", "a:b"])(
    "rejects an invalid host header: %s",
    async (host) => {
      const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, host }
      const response = await ask({ url: gateway.url, headers }, "GET", "/accounts?limit=1")
      expect(response.status).toBe(400)
      expect((await errorOf(response)).param).toBe("host")
      const page = await fetch(`${gateway.url}/console/`, { headers: { host } })
      expect(page.status).not.toBe(500)
      await page.body?.cancel()
      expect(gateway.heard.filter(({ name }) => name === "requestFailed")).toEqual([])
    },
  )

  test.each(["a\u0000b", "\u001b[2J", "two\nlines", "half \ud800", "\u009b1m"])(
    "rejects a name with unprintable or unstorable characters: %j",
    async (name) => {
      const plain = { name: Buffer.from(name).toString("hex") }
      const { id } = await asked(gateway, "POST", "/accounts", plain)
      const orders: [string, unknown][] = [
        ["/accounts", { name }],
        ["/keys", { account: id, name }],
        ["/codes", { credits: "1", note: name }],
        [`/accounts/${String(id)}/entries`, { kind: "grant", amount: "1", note: name }],
      ]
      for (const [path, order] of orders) {
        const response = await ask(gateway, "POST", path, order)
        expect({ path, status: response.status }).toEqual({ path, status: 400 })
        expect((await errorOf(response)).message).toMatch(/control|NUL/)
      }
      const globs = { account: id, name: "key", models: [name] }
      const response = await ask(gateway, "POST", "/keys", globs)
      expect((await errorOf(response)).param).toBe("models[0]")
    },
  )

  test("rejects bodies that are not JSON, not an object, too large or of another type", async () => {
    const cases = [
      { body: "{", status: 400 },
      { body: "[]", status: 400 },
      { body: JSON.stringify({ name: "x".repeat(300_000) }), status: 413 },
      { body: "name=x", status: 415, type: "application/x-www-form-urlencoded" },
    ]
    for (const { body, status, type = "application/json" } of cases) {
      const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, "content-type": type }
      const response = await ask({ url: gateway.url, headers }, "POST", "/accounts", body)
      expect(response.status).toBe(status)
      await response.body?.cancel()
    }
  })
})
