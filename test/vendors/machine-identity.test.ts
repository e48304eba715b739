import { afterAll, beforeAll, beforeEach, describe, expect, setSystemTime, test } from "bun:test"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { GatewayError } from "../../src/canon/errors.ts"
import type { ExternalAccount } from "../../src/config/settings.ts"
import { failureWords } from "../../src/routing/failure-words.ts"
import { machineKey } from "../../src/vendors/aws-identity.ts"
import { googleToken } from "../../src/vendors/google-token.ts"
import { RenewedCredential } from "../../src/vendors/renewed-credential.ts"

interface Received {
  readonly line: string
  readonly headers: Headers
  readonly body: string
}

const EXPIRATION = "2031-01-01T00:00:00Z"
const EXPIRES_AT = Date.parse(EXPIRATION)
const KEY = { accessKeyId: "ASIA1", secretAccessKey: "secret", sessionToken: "session" }
const DOCUMENT = {
  Code: "Success",
  AccessKeyId: "ASIA1",
  SecretAccessKey: "secret",
  Token: "session",
  Expiration: EXPIRATION,
}

let folder: string
let tokenFile: string
let server: Bun.Server<undefined>
let url: string
let received: Received[] = []
/** Responses by method and path. */
let responses: Readonly<Record<string, () => Response>> = {}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-identity-"))
  tokenFile = join(folder, "token")
  server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const line = `${request.method} ${new URL(request.url).pathname}`
      received.push({ line, headers: request.headers, body: await request.text() })
      return responses[line]?.() ?? new Response("not found", { status: 404 })
    },
  })
  url = `http://127.0.0.1:${server.port}`
})

afterAll(async () => {
  await server.stop(true)
  rmSync(folder, { recursive: true })
})

beforeEach(() => {
  received = []
  responses = {}
  writeFileSync(tokenFile, "pod-token\n")
})

async function failure(promise: Promise<unknown>): Promise<GatewayError> {
  try {
    await promise
  } catch (error) {
    if (error instanceof GatewayError) return error
    throw error
  }
  throw new Error("it succeeded")
}

describe("the AWS role of a machine", () => {
  test("comes from the security token service for a pod with a web identity", async () => {
    const response = `<AssumeRoleWithWebIdentityResponse><AssumeRoleWithWebIdentityResult><Credentials>
      <AccessKeyId>ASIA1</AccessKeyId><SecretAccessKey>secret</SecretAccessKey>
      <SessionToken>session</SessionToken><Expiration>${EXPIRATION}</Expiration>
      </Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`
    responses = { "POST /": () => new Response(response) }
    const key = await machineKey("eu-west-1", {
      AWS_ROLE_ARN: "arn:aws:iam::1:role/gateway",
      AWS_WEB_IDENTITY_TOKEN_FILE: tokenFile,
      AWS_ENDPOINT_URL_STS: url,
    })
    expect(key).toEqual({ value: KEY, expiresAt: EXPIRES_AT })
    expect(Object.fromEntries(new URLSearchParams(received[0]?.body))).toEqual({
      Action: "AssumeRoleWithWebIdentity",
      Version: "2011-06-15",
      RoleArn: "arn:aws:iam::1:role/gateway",
      RoleSessionName: "tollgate",
      WebIdentityToken: "pod-token",
    })
  })

  for (const [name, authorization] of [
    ["AWS_CONTAINER_AUTHORIZATION_TOKEN", "plain-token"],
    ["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", "pod-token"],
  ] as const) {
    test(`comes from the container endpoint, authorized by ${name}`, async () => {
      responses = { "GET /credentials": () => Response.json(DOCUMENT) }
      const key = await machineKey("eu-west-1", {
        AWS_CONTAINER_CREDENTIALS_FULL_URI: `${url}/credentials`,
        [name]: name.endsWith("FILE") ? tokenFile : authorization,
      })
      expect(key).toEqual({ value: KEY, expiresAt: EXPIRES_AT })
      expect(received[0]?.headers.get("authorization")).toBe(authorization)
    })
  }

  test("comes from the instance metadata service in version 2", async () => {
    responses = {
      "PUT /latest/api/token": () => new Response("metadata-token"),
      "GET /latest/meta-data/iam/security-credentials/": () => new Response("gateway-role\n"),
      "GET /latest/meta-data/iam/security-credentials/gateway-role": () => Response.json(DOCUMENT),
    }
    const key = await machineKey("eu-west-1", { AWS_EC2_METADATA_SERVICE_ENDPOINT: url })
    expect(key.value).toEqual(KEY)
    expect(received.map(({ headers }) => headers.get("x-aws-ec2-metadata-token"))).toEqual([
      null,
      "metadata-token",
      "metadata-token",
    ])
  })

  test("does not come from another machine over plain HTTP", async () => {
    const environment = { AWS_CONTAINER_CREDENTIALS_FULL_URI: "http://192.0.2.1/credentials" }
    const error = await failure(machineKey("eu-west-1", environment))
    expect(String(error.cause)).toContain("must be an https address")
  })

  test("causes an error with the reason if it cannot be used", async () => {
    const web = { AWS_ROLE_ARN: "arn", AWS_ENDPOINT_URL_STS: url }
    const missing = { ...web, AWS_WEB_IDENTITY_TOKEN_FILE: join(folder, "missing") }
    expect(String((await failure(machineKey("r", missing))).cause)).toContain("cannot be read")
    const disabled = { AWS_EC2_METADATA_DISABLED: "true" }
    expect(String((await failure(machineKey("r", disabled))).cause)).toContain("no role")
    responses = {
      "POST /": () =>
        new Response("<ErrorResponse><Error><Code>AccessDenied</Code></Error></ErrorResponse>", {
          status: 403,
        }),
    }
    const rejected = await failure(
      machineKey("r", { ...web, AWS_WEB_IDENTITY_TOKEN_FILE: tokenFile }),
    )
    expect(rejected.message).toContain("(AccessDenied)")
    responses = { "POST /": () => new Response("<html>") }
    const empty = await failure(machineKey("r", { ...web, AWS_WEB_IDENTITY_TOKEN_FILE: tokenFile }))
    expect(empty.message).toContain("without a credential")
    const closed = { AWS_EC2_METADATA_SERVICE_ENDPOINT: "http://127.0.0.1:1" }
    expect((await failure(machineKey("r", closed))).message).toContain("cannot be reached")
  })
})

describe("the Google token of a machine", () => {
  const exchanged = () => Response.json({ access_token: "federated", expires_in: 3600 })

  test("comes from the metadata service of the machine", async () => {
    const path = "/computeMetadata/v1/instance/service-accounts/default/token"
    responses = { [`GET ${path}`]: exchanged }
    const token = await googleToken("machine", { GCE_METADATA_HOST: `127.0.0.1:${server.port}` })
    expect(token.value).toBe("federated")
    expect(received[0]?.headers.get("metadata-flavor")).toBe("Google")
  })

  const external: Omit<ExternalAccount, "source" | "tokenUri"> = {
    audience: "//iam/pool",
    subjectTokenType: "urn:ietf:params:oauth:token-type:jwt",
  }

  test("comes from an exchange of the token in a file", async () => {
    responses = { "POST /token": exchanged }
    const token = await googleToken({
      ...external,
      tokenUri: `${url}/token`,
      source: { file: tokenFile },
    })
    expect(token.value).toBe("federated")
    expect(Object.fromEntries(new URLSearchParams(received[0]?.body))).toMatchObject({
      audience: "//iam/pool",
      subject_token: "pod-token",
      subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
    })
  })

  test("comes from the exchange of an issued token and the impersonation of a service account", async () => {
    responses = {
      "GET /issuer": () => Response.json({ id_token: "issued" }),
      "POST /token": exchanged,
      "POST /impersonate": () =>
        Response.json({ accessToken: "impersonated", expireTime: EXPIRATION }),
    }
    const token = await googleToken({
      ...external,
      tokenUri: `${url}/token`,
      impersonationUrl: `${url}/impersonate`,
      source: { url: `${url}/issuer`, headers: { metadata: "true" }, field: "id_token" },
    })
    expect(token).toEqual({ value: "impersonated", expiresAt: EXPIRES_AT })
    const [issued, exchange, impersonated] = received
    expect(issued?.headers.get("metadata")).toBe("true")
    expect(new URLSearchParams(exchange?.body).get("subject_token")).toBe("issued")
    expect(impersonated?.headers.get("authorization")).toBe("Bearer federated")
  })

  test("comes from an exchange of a user's refresh token", async () => {
    responses = { "POST /token": exchanged }
    const user = { clientId: "id", clientSecret: "s", refreshToken: "r", tokenUri: `${url}/token` }
    expect((await googleToken(user)).value).toBe("federated")
    expect(Object.fromEntries(new URLSearchParams(received[0]?.body))).toEqual({
      grant_type: "refresh_token",
      client_id: "id",
      client_secret: "s",
      refresh_token: "r",
    })
  })

  test("requires a token file that exists and is not empty", async () => {
    const account = { ...external, tokenUri: `${url}/token` }
    const missing = { ...account, source: { file: join(folder, "missing") } }
    expect((await failure(googleToken(missing))).message).toContain("cannot be read")
    writeFileSync(tokenFile, " \n")
    const empty = { ...account, source: { file: tokenFile } }
    expect((await failure(googleToken(empty))).message).toContain("without a credential")
    expect(received).toEqual([])
  })
})

test("a machine's credential is requested directly, not through a proxy", async () => {
  responses = { "GET /credentials": () => Response.json(DOCUMENT) }
  const script = `
    const { machineKey } = await import(${JSON.stringify(import.meta.resolve("../../src/vendors/aws-identity.ts"))})
    console.log(JSON.stringify(await machineKey("r")))`
  const child = Bun.spawn([process.execPath, "-e", script], {
    env: {
      ...process.env,
      HTTP_PROXY: "http://127.0.0.1:1",
      http_proxy: "http://127.0.0.1:1",
      AWS_CONTAINER_CREDENTIALS_FULL_URI: `${url}/credentials`,
    },
    stderr: "inherit",
  })
  expect(JSON.parse(await new Response(child.stdout).text())).toEqual({
    value: KEY,
    expiresAt: EXPIRES_AT,
  })
})

test("a temporary credential is fetched once for all pending requests, and again when it expires", async () => {
  let fetched = 0
  let lifetimeMs = 3_600_000
  const credential = new RenewedCredential(async () => {
    fetched++
    return { value: fetched, expiresAt: Date.now() + lifetimeMs }
  })
  expect(await Promise.all([credential.get(), credential.get()])).toEqual([1, 1])
  expect(credential.get()).toBe(1)
  lifetimeMs = 0
  const short = new RenewedCredential(async () => ({
    value: ++fetched,
    expiresAt: Date.now() + lifetimeMs,
  }))
  expect(await short.get()).toBe(2)
  expect(await short.get()).toBe(3)
})

test("a temporary credential that is still valid is renewed in the background", async () => {
  const outcomes = [Promise.resolve(1), Promise.reject(new Error("unreachable"))]
  let fetched = 0
  const credential = new RenewedCredential(async () => ({
    value: (await outcomes[fetched++]) ?? 0,
    expiresAt: Date.now() + 60_000,
  }))
  expect(await credential.get()).toBe(1)
  setSystemTime(new Date(Date.now() + 10_000))
  try {
    expect([credential.get(), credential.get()]).toEqual([1, 1])
    await Bun.sleep(0)
    expect(credential.get()).toBe(1)
    expect(fetched).toBe(2)
    setSystemTime(new Date(Date.now() + 40_000))
    expect(await credential.get()).toBe(0)
  } finally {
    setSystemTime()
  }
})

test("a temporary credential has a maximum lifetime, regardless of the expiry that its issuer states", async () => {
  let fetched = 0
  const credential = new RenewedCredential(async () => ({ value: ++fetched, expiresAt: Infinity }))
  expect(await credential.get()).toBe(1)
  setSystemTime(new Date(Date.now() + 13 * 3_600_000))
  try {
    expect(await credential.get()).toBe(2)
  } finally {
    setSystemTime()
  }
})

describe("an identity that returns no credential", () => {
  const text = (body: string, status = 200) => new Response(body, { status })
  const cases: [string, () => Response, string][] = [
    ["is rejected", () => text("no", 403), "returned no credential (403)"],
    ["fails", () => text("secret", 500), "failed with status 500"],
    [
      "is an invalid document",
      () => text("<html>secret"),
      "returned a response without a credential",
    ],
    [
      "is an invalid header",
      () => text(JSON.stringify({ ...DOCUMENT, Token: "a\r\nb" })),
      "without a cred",
    ],
    ["is too large", () => text("x".repeat(70_000)), "larger than 64 KB (EMSGSIZE)"],
  ]
  test.each(cases)(
    "causes an error with the reason if its response %s",
    async (_, response, words) => {
      responses = { "GET /credentials": response, "POST /sts": response }
      const container = { AWS_CONTAINER_CREDENTIALS_FULL_URI: `${url}/credentials` }
      const webIdentity = {
        AWS_ROLE_ARN: "role",
        AWS_WEB_IDENTITY_TOKEN_FILE: tokenFile,
        AWS_ENDPOINT_URL_STS: `${url}/sts`,
      }
      for (const environment of [container, webIdentity]) {
        const cause = failureWords(await failure(machineKey("r", environment)))
        expect(cause).toContain(words)
        expect(cause).not.toContain("secret")
      }
    },
  )

  test.each([
    [{ AWS_CONTAINER_CREDENTIALS_FULL_URI: "http://127.0.0.1:1/x?secret" }, "(ECONNREFUSED)"],
    [{ AWS_EC2_METADATA_SERVICE_ENDPOINT: "127.0.0.1:1" }, "cannot be reached"],
    [
      {
        AWS_CONTAINER_CREDENTIALS_FULL_URI: "http://[::1]:1",
        AWS_CONTAINER_AUTHORIZATION_TOKEN: "a\nb",
      },
      "AWS_CONTAINER_AUTHORIZATION_TOKEN is not a valid header",
    ],
    [{ AWS_EC2_METADATA_DISABLED: "true" }, "AWS_EC2_METADATA_DISABLED is set"],
  ])("causes an error with the reason %p", async (environment, words) => {
    const cause = failureWords(await failure(machineKey("r", environment)))
    expect(cause).toContain(words)
    expect(cause).not.toContain("secret")
  })
})
