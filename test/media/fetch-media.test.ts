import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { GatewayError } from "../../src/canon/errors.ts"
import { MemoryBudget } from "../../src/limits/memory-budget.ts"
import { fetchMedia } from "../../src/media/fetch-media.ts"
import { isPublicAddress } from "../../src/media/public-address.ts"

const TRUSTED = { bytes: 1_000, allowsPrivate: true }
const PUBLIC_ONLY = { bytes: 1_000, allowsPrivate: false }

let server: Bun.Server<undefined>
let asked: string[] = []

beforeAll(() => {
  server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      const { pathname, host } = new URL(request.url)
      asked.push(`${host}${pathname}`)
      switch (pathname) {
        case "/picture":
          return new Response("picture", { headers: { "content-type": "image/PNG; x=1" } })
        case "/elsewhere":
          return Response.redirect("/picture", 302)
        case "/large":
          return new Response("x".repeat(1_001))
        case "/endless":
          return new Response(endless())
        default:
          return new Response("none", { status: 404 })
      }
    },
  })
})

afterAll(() => server.stop(true))

function endless(): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(300)),
  })
}

const MEMORY = new MemoryBudget(1 << 26).open({ id: "key", account: "a" })

function at(path: string): string {
  return `http://127.0.0.1:${server.port}${path}`
}

async function refusal(address: string, limits = TRUSTED): Promise<string> {
  try {
    await fetchMedia(address, limits, MEMORY)
  } catch (error) {
    if (error instanceof GatewayError && error.kind === "invalid_value") return error.message
    throw error
  }
  throw new Error("it was fetched")
}

test("media is fetched as base64, with its type", async () => {
  const fetched = await fetchMedia(at("/picture"), TRUSTED, MEMORY)
  expect(fetched).toEqual({ type: "base64", data: btoa("picture"), mediaType: "image/png" })
})

test("a name is asked at the address it was judged by, under its own name", async () => {
  asked = []
  await fetchMedia(`http://localhost:${server.port}/picture`, TRUSTED, MEMORY)
  expect(asked).toEqual([`localhost:${server.port}/picture`])
})

describe("what is not fetched", () => {
  test("a private address, written or named, is never even asked", async () => {
    asked = []
    expect(await refusal(at("/picture"), PUBLIC_ONLY)).toContain("not on the public internet")
    expect(await refusal(`http://localhost:${server.port}/`, PUBLIC_ONLY)).toContain("public")
    expect(await refusal(`http://2130706433:${server.port}/`, PUBLIC_ONLY)).toContain("public")
    expect(await refusal(`http://[::1]:${server.port}/`, PUBLIC_ONLY)).toContain("public")
    expect(asked).toEqual([])
  })

  test("redirects, errors, other schemes, credentials", async () => {
    expect(await refusal(at("/elsewhere"))).toContain("status 302")
    expect(await refusal(at("/absent"))).toContain("status 404")
    expect(await refusal("file:///etc/passwd")).toContain("no web address")
    expect(await refusal("http://a:b@127.0.0.1/")).toContain("credential")
  })

  test("more than the limit, announced or not", async () => {
    expect(await refusal(at("/large"))).toContain("larger than")
    expect(await refusal(at("/endless"))).toContain("larger than")
  })
})

test("addresses of private and special networks are not public", () => {
  const privateOnes = [
    "0.0.0.0",
    "10.1.2.3",
    "100.64.0.1",
    "127.0.0.1",
    "169.254.169.254",
    "172.31.255.255",
    "192.168.1.1",
    "224.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::ffff:127.0.0.1",
    "::ffff:8.8.8.8",
    "64:ff9b::7f00:1",
    "fe80::1",
    "fd00::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "not an address",
  ]
  expect(privateOnes.filter(isPublicAddress)).toEqual([])
  expect(["8.8.8.8", "1.1.1.1", "2606:4700::1111"].filter(isPublicAddress)).toHaveLength(3)
})
