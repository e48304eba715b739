import { afterAll, beforeAll, beforeEach, describe, expect, setSystemTime, test } from "bun:test"
import { exportPKCS8, generateKeyPair, jwtVerify } from "jose"
import { GatewayError } from "../../src/canon/errors.ts"
import type { ServiceAccount } from "../../src/config/settings.ts"
import type { Signer } from "../../src/vendors/vendor.ts"
import { ANY_REQUEST, providerOf, vendorOf } from "./support.ts"

const EMAIL = "robot@project.iam.gserviceaccount.com"

let keys: Awaited<ReturnType<typeof generateKeyPair>>
let account: ServiceAccount
let server: Bun.Server<undefined>
let asked: URLSearchParams[] = []
let response: () => Response

const token =
  (name: string, seconds = 3600) =>
  () =>
    Response.json({ access_token: name, expires_in: seconds, token_type: "Bearer" })

beforeAll(async () => {
  keys = await generateKeyPair("RS256", { extractable: true })
  server = Bun.serve({
    port: 0,
    async fetch(request) {
      asked.push(new URLSearchParams(await request.text()))
      return response()
    },
  })
  account = {
    clientEmail: EMAIL,
    privateKey: await exportPKCS8(keys.privateKey),
    privateKeyId: "key-1",
    tokenUri: `http://127.0.0.1:${server.port}/token`,
    projectId: "robots",
  }
})

afterAll(() => {
  setSystemTime()
  return server.stop(true)
})

beforeEach(() => {
  setSystemTime()
  asked = []
  response = token("token-1")
})

function signerFor(more: Partial<ServiceAccount> = {}): Signer {
  return vendorOf("vertex").signer(providerOf("vertex", { credentials: { ...account, ...more } }))
}

async function failure(signer: Signer): Promise<GatewayError> {
  try {
    await signer.sign(ANY_REQUEST)
  } catch (error) {
    if (error instanceof GatewayError) return error
    throw error
  }
  throw new Error("it was signed")
}

describe("a service account", () => {
  test("exchanges a claim that is signed with its key for a token", async () => {
    expect(await signerFor().sign(ANY_REQUEST)).toEqual({ authorization: "Bearer token-1" })
    const [form] = asked
    expect(form?.get("grant_type")).toBe("urn:ietf:params:oauth:grant-type:jwt-bearer")
    const { payload, protectedHeader } = await jwtVerify(
      form?.get("assertion") ?? "",
      keys.publicKey,
      { issuer: EMAIL, audience: account.tokenUri, algorithms: ["RS256"] },
    )
    expect(protectedHeader).toEqual({ alg: "RS256", typ: "JWT", kid: "key-1" })
    expect(payload["scope"]).toBe("https://www.googleapis.com/auth/cloud-platform")
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(3600)
  })

  test("caches its token, and returns the token synchronously", async () => {
    const signer = signerFor()
    const first = await signer.sign(ANY_REQUEST)
    expect(signer.sign(ANY_REQUEST)).toBe(first)
    expect(asked).toHaveLength(1)
  })

  test("requests a new token before the old token expires", async () => {
    const signer = signerFor()
    const start = Date.now()
    await signer.sign(ANY_REQUEST)
    response = token("token-2")
    setSystemTime(start + 3_418_000)
    expect(signer.sign(ANY_REQUEST)).toEqual({ authorization: "Bearer token-1" })
    setSystemTime(start + 3_586_000)
    expect(await signer.sign(ANY_REQUEST)).toEqual({ authorization: "Bearer token-2" })
    expect(asked).toHaveLength(2)
  })

  test("requests one token for all pending requests", async () => {
    const signer = signerFor()
    const signed = await Promise.all(Array.from({ length: 50 }, () => signer.sign(ANY_REQUEST)))
    expect(new Set(signed).size).toBe(1)
    expect(asked).toHaveLength(1)
  })

  test("retries after a failure, and does not cache the failure", async () => {
    const signer = signerFor()
    response = () => new Response("busy", { status: 503 })
    expect((await failure(signer)).message).toContain("failed with status 503")
    response = token("token-3")
    expect(await signer.sign(ANY_REQUEST)).toEqual({ authorization: "Bearer token-3" })
  })
})

describe("a service account that cannot be used", () => {
  test("causes an error with Google's error code and without the key", async () => {
    response = () =>
      Response.json(
        { error: "invalid_grant", error_description: `Invalid JWT for ${EMAIL}` },
        { status: 400 },
      )
    const error = await failure(signerFor())
    expect(error.kind).toBe("upstream_error")
    expect(error.message).toBe(
      "Google's token service rejected the credentials that the operator of this gateway configured (invalid_grant).",
    )
  })

  test("causes an error if the response is invalid", async () => {
    for (const body of ["<html>", "{}", '{"access_token":"","expires_in":1}', "null"]) {
      response = () => new Response(body)
      expect((await failure(signerFor())).message).toContain("without a credential")
    }
    response = () => Response.redirect("http://127.0.0.1:1/elsewhere", 302)
    expect((await failure(signerFor())).message).toContain("(302)")
  })

  test("causes an error if the key is invalid", async () => {
    const privateKey = "-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----"
    const error = await failure(signerFor({ privateKey }))
    expect(error.kind).toBe("upstream_error")
    expect(error.message).toContain("private key cannot be used")
    expect(error.message).not.toContain("c2VjcmV0")
    expect(asked).toHaveLength(0)
    // The failure has no effect on other operations, such as hashing a caller's key.
    expect(new Bun.CryptoHasher("sha256", "key").update("text").digest("hex")).toHaveLength(64)
  })

  test("causes an error if the server cannot be reached", async () => {
    const error = await failure(signerFor({ tokenUri: "http://127.0.0.1:1/token" }))
    expect(error.message).toContain("cannot be reached")
  })
})
