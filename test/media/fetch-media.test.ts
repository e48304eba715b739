import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { GatewayError } from "../../src/canon/errors.ts"
import { MemoryBudget } from "../../src/limits/memory-budget.ts"
import { fetchMedia } from "../../src/media/fetch-media.ts"
import { isPublicAddress } from "../../src/wire/http/public-address.ts"

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
        case "/image":
          return new Response("image", { headers: { "content-type": "image/PNG; x=1" } })
        case "/elsewhere":
          return Response.redirect("/image", 302)
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

async function rejection(address: string, limits = TRUSTED): Promise<string> {
  try {
    await fetchMedia(address, limits, MEMORY)
  } catch (error) {
    if (error instanceof GatewayError && error.kind === "invalid_value") return error.message
    throw error
  }
  throw new Error("it was fetched")
}

test("linked media is downloaded and encoded as base64, with its type", async () => {
  const fetched = await fetchMedia(at("/image"), TRUSTED, MEMORY)
  expect(fetched).toEqual({ type: "base64", data: btoa("image"), mediaType: "image/png" })
})

test("the host name of linked media is resolved once, and the checked address is called", async () => {
  asked = []
  await fetchMedia(`http://localhost:${server.port}/image`, TRUSTED, MEMORY)
  expect(asked).toEqual([`localhost:${server.port}/image`])
})

describe("media that the gateway does not fetch", () => {
  test("includes private addresses, whether in the URL or from DNS", async () => {
    asked = []
    expect(await rejection(at("/image"), PUBLIC_ONLY)).toContain("not on the public internet")
    expect(await rejection(`http://localhost:${server.port}/`, PUBLIC_ONLY)).toContain("public")
    expect(await rejection(`http://2130706433:${server.port}/`, PUBLIC_ONLY)).toContain("public")
    expect(await rejection(`http://[::1]:${server.port}/`, PUBLIC_ONLY)).toContain("public")
    expect(asked).toEqual([])
  })

  test("includes names of private networks, with the same error as unknown names", async () => {
    const unknown = await rejection("http://name.invalid/", PUBLIC_ONLY)
    const known = await rejection("http://localhost/", PUBLIC_ONLY)
    expect(known).toBe(unknown.replace("name.invalid", "localhost"))
  })

  test("includes redirects, errors, other schemes and credentials", async () => {
    expect(await rejection(at("/elsewhere"))).toContain("status 302")
    expect(await rejection(at("/absent"))).toContain("status 404")
    expect(await rejection("file:///etc/passwd")).toContain("not an HTTP URL")
    expect(await rejection("http://a:b@127.0.0.1/")).toContain("credential")
  })

  test("includes content above the size limit, whether or not its size is declared", async () => {
    expect(await rejection(at("/large"))).toContain("larger than")
    expect(await rejection(at("/endless"))).toContain("larger than")
  })
})

describe("addresses of the public internet", () => {
  /** The first and the last address of each network in IANA's registries of special-purpose addresses. */
  const special: readonly (readonly [network: string, ...addresses: string[]])[] = [
    ["0.0.0.0/8, this network", "0.0.0.0", "0.255.255.255"],
    ["10.0.0.0/8, private", "10.0.0.0", "10.255.255.255"],
    ["100.64.0.0/10, shared", "100.64.0.0", "100.127.255.255"],
    ["127.0.0.0/8, loopback", "127.0.0.0", "127.0.0.1", "127.255.255.255"],
    ["169.254.0.0/16, link local", "169.254.0.0", "169.254.169.254", "169.254.255.255"],
    ["172.16.0.0/12, private", "172.16.0.0", "172.31.255.255"],
    ["192.0.0.0/24, protocols", "192.0.0.0", "192.0.0.255"],
    ["192.0.2.0/24, documentation", "192.0.2.0", "192.0.2.255"],
    ["192.88.99.0/24, 6to4 relays", "192.88.99.0", "192.88.99.255"],
    ["192.168.0.0/16, private", "192.168.0.0", "192.168.255.255"],
    ["198.18.0.0/15, benchmarks", "198.18.0.0", "198.19.255.255"],
    ["198.51.100.0/24, documentation", "198.51.100.0", "198.51.100.255"],
    ["203.0.113.0/24, documentation", "203.0.113.0", "203.0.113.255"],
    ["224.0.0.0/4, multicast", "224.0.0.0", "239.255.255.255"],
    ["240.0.0.0/4, reserved", "240.0.0.0", "255.255.255.255"],
    ["::/96, IPv4-compatible", "::", "::1", "::7f00:1", "::127.0.0.1", "::808:808"],
    ["::ffff:0:0/96, IPv4-mapped", "::ffff:127.0.0.1", "::ffff:7f00:1", "::ffff:8.8.8.8"],
    ["::ffff:0:0:0/96, IPv4-translated", "::ffff:0:127.0.0.1", "::ffff:0:808:808"],
    ["64:ff9b::/96, NAT64", "64:ff9b::7f00:1", "64:ff9b::808:808"],
    ["64:ff9b:1::/48, local NAT64", "64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff"],
    ["100::/64, discard", "100::", "100::ffff:ffff:ffff:ffff"],
    ["2001::/23, protocols", "2001::", "2001:10::1", "2001:20::1", "2001:1ff:ffff::1"],
    ["2001:db8::/32, documentation", "2001:db8::", "2001:db8:ffff:ffff::1"],
    ["2002::/16, 6to4", "2002:7f00:1::", "2002:808:808::1", "2002:ffff:ffff:ffff::1"],
    ["3fff::/20, documentation", "3fff::", "3fff:fff:ffff::1"],
    ["5f00::/16, segment routing", "5f00::1"],
    ["fc00::/7, unique local", "fc00::", "fd00::1", "fdff:ffff::1"],
    ["fe80::/10, link local", "fe80::1", "fe80::1%eth0", "febf::1"],
    ["fec0::/10, site local", "fec0::1", "feff::1"],
    ["ff00::/8, multicast", "ff02::1", "ffff::1"],
    ["unassigned ranges", "1::1", "1fff::1", "4000::1", "8000::1", "c000::1"],
    ["invalid addresses", "", "not an address", "127.1", "0x7f.0.0.1", "010.0.0.1", "2130706433"],
  ]
  test.each([...special])("exclude %s", (...row) => {
    expect(row.slice(1).filter(isPublicAddress)).toEqual([])
  })

  test("include the neighbors of excluded ranges", () => {
    const addresses = [
      "1.1.1.1",
      "8.8.8.8",
      "9.255.255.255",
      "100.63.255.255",
      "100.128.0.0",
      "126.255.255.255",
      "172.15.255.255",
      "172.32.0.0",
      "192.0.1.0",
      "198.17.255.255",
      "198.20.0.0",
      "223.255.255.255",
      "2001:200::1",
      "2001:db9::1",
      "2003::1",
      "2606:4700::1111",
      "3ffe::1",
    ]
    expect(addresses.filter((address) => !isPublicAddress(address))).toEqual([])
  })
})
