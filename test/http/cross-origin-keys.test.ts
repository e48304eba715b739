import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { AUDIT } from "../store/audit-record.ts"
import { startGateway, type TestCaller, type TestGateway } from "../support/gateway.ts"

const APP = "https://app.example.com"
const OTHER = "https://other.example.com"
const SETTINGS = "https://settings.example.com"
const CHAT = "/v1/chat/completions"
const HELLO = { model: "sim/echo", messages: [{ role: "user", content: "Hello" }] }
const ASKING = { "access-control-request-method": "POST" }

let gateway: TestGateway
let app: TestCaller
let other: TestCaller
let plain: TestCaller

beforeAll(async () => {
  gateway = await startGateway({ settings: { corsOrigins: [SETTINGS] } })
  app = await gateway.caller("1", { origins: [APP] })
  other = await gateway.caller("1", { origins: [OTHER] })
  plain = await gateway.caller("1")
  // A running gateway loads a new key at the key's first request.
  for (const caller of [app, other, plain]) expect((await caller.get("/v1/models")).ok).toBe(true)
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
})

async function asked(origin: string, url = gateway.url): Promise<[number, string | null]> {
  const headers = { origin, ...ASKING }
  const response = await fetch(url + CHAT, { method: "OPTIONS", headers })
  return [response.status, response.headers.get("access-control-allow-origin")]
}

const allowed = ({ headers }: Response) => headers.get("access-control-allow-origin")

describe("the allowed origins of a key", () => {
  test("pass the preflight regardless of the key, because a preflight contains no key", async () => {
    for (const origin of [APP, OTHER, SETTINGS]) expect(await asked(origin)).toEqual([204, origin])
    for (const origin of ["https://evil.example", `${APP}.evil.example`, `${APP}:444`, "null"]) {
      expect(await asked(origin)).toEqual([405, null])
    }
  })

  test("can read only responses to requests with that key: complete, streamed and rejected", async () => {
    for (const body of [HELLO, { ...HELLO, stream: true }, {}]) {
      const own = await app.post(CHAT, body, { origin: APP })
      expect([allowed(own), own.headers.get("vary")]).toEqual([APP, "origin"])
      expect(own.headers.get("access-control-expose-headers")).toContain("x-tollgate-cost")
      expect(own.headers.has("access-control-allow-credentials")).toBe(false)
      for (const [caller, origin] of [
        [app, OTHER],
        [other, APP],
        [plain, APP],
      ] as const) {
        expect(allowed(await caller.post(CHAT, body, { origin }))).toBeNull()
      }
    }
  })

  test("apply in addition to the allowed origins in the settings", async () => {
    for (const caller of [app, other, plain]) {
      expect(allowed(await caller.post(CHAT, HELLO, { origin: SETTINGS }))).toBe(SETTINGS)
    }
  })

  test("apply even if the key is in the URL", async () => {
    const path = "/v1beta/models/sim/echo:generateContent"
    const contents = [{ parts: [{ text: "Hello" }] }]
    const send = (key: string, origin: string) =>
      fetch(`${gateway.url}${path}?key=${key}`, {
        method: "POST",
        body: JSON.stringify({ contents }),
        headers: { origin, "content-type": "application/json" },
      })
    const own = await send(app.key, APP)
    expect([own.status, allowed(own)]).toEqual([200, APP])
    expect(allowed(await send(other.key, APP))).toBeNull()
  })

  test("can read errors about a missing or invalid key", async () => {
    for (const authorization of ["", "Bearer sk-tg-wrong"]) {
      const headers = { origin: APP, authorization }
      const response = await fetch(gateway.url + CHAT, { method: "POST", headers })
      expect([response.status, allowed(response)]).toEqual([401, APP])
    }
  })

  test("fail the preflight after the key was revoked, but can read the error", async () => {
    const origin = "https://short.example.com"
    const short = await gateway.caller("1", { origins: [origin] })
    await short.get("/v1/models")
    expect(await asked(origin)).toEqual([204, origin])
    await gateway.store.keys.revoke(short.keyId, Date.now(), AUDIT)
    // When a key is unknown, the gateway reads the ledger.
    await fetch(gateway.url + "/v1/models", {
      headers: { authorization: `Bearer sk-tg-${"a".repeat(43)}` },
    })
    expect(await asked(origin)).toEqual([405, null])
    const response = await short.post(CHAT, HELLO, { origin })
    expect([response.status, allowed(response)]).toEqual([401, origin])
  })
})

test("only a key that allows any origin gets the header value `*`", async () => {
  await using own = await startGateway()
  const any = await own.caller("1", { origins: ["*"] })
  const none = await own.caller("1")
  for (const caller of [any, none]) await caller.get("/v1/models")
  expect(await asked("https://anywhere.example", own.url)).toEqual([204, "*"])
  expect(allowed(await any.post(CHAT, HELLO, { origin: APP }))).toBe("*")
  expect(allowed(await none.post(CHAT, HELLO, { origin: APP }))).toBeNull()
})

describe("cross-origin caching", () => {
  test("requires a vary header even if the request has no origin", async () => {
    for (const path of ["/healthz", "/v1/images/files/none.png", "/v1/models"]) {
      expect([path, (await app.get(path)).headers.get("vary")]).toEqual([path, "origin"])
    }
  })

  test("requires no vary header if no origin is allowed", async () => {
    await using own = await startGateway()
    expect((await fetch(`${own.url}/healthz`)).headers.has("vary")).toBe(false)
  })
})
