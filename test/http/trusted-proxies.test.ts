import { describe, expect, test } from "bun:test"
import { TrustedProxies } from "../../src/http/trusted-proxies.ts"
import { threadTime } from "../support/processor-time.ts"

const PROXIES = new TrustedProxies(["127.0.0.1", "10.0.0.0/8", "fd00::/8"])

interface Headers {
  readonly for?: string
  readonly proto?: string
  readonly host?: string
}

function asked(headers: Headers, url = "http://gateway:8787/v1/models"): Request {
  const named = Object.entries(headers).map(([name, value]) => [`x-forwarded-${name}`, value])
  return new Request(url, { headers: Object.fromEntries(named) })
}

function addressOf(header: string, peer = "127.0.0.1"): string | null {
  return PROXIES.forwarded(asked({ for: header }), peer).address
}

function originOf(headers: Headers, url?: string): string | undefined {
  return PROXIES.forwarded(asked(headers, url), "127.0.0.1").origin
}

describe("headers of an untrusted proxy", () => {
  const headers = { for: "1.2.3.4", proto: "https", host: "evil.example" }

  test.each(["8.8.8.8", "192.168.0.1", "::1", "::ffff:8.8.8.8", "2001:db8::1", "garbage"])(
    "have no effect: %s",
    (peer) => {
      expect(PROXIES.forwarded(asked(headers), peer)).toEqual({ address: peer })
    },
  )

  test("have no effect if no proxy is trusted or the connection is unknown", () => {
    const none = new TrustedProxies()
    expect(none.forwarded(asked(headers), "127.0.0.1")).toEqual({ address: "127.0.0.1" })
    expect(PROXIES.forwarded(asked(headers), null)).toEqual({ address: null })
  })
})

test("an untrusted proxy in the operator's network is reported once", () => {
  const heard: string[] = []
  const proxies = new TrustedProxies(["10.0.0.0/8"], (proxy) => heard.push(proxy))
  const sent = asked({ for: "1.2.3.4" })
  for (const peer of ["8.8.8.8", "::ffff:8.8.8.8", "10.0.0.1", "2606:4700::1111"]) {
    proxies.forwarded(sent, peer)
  }
  proxies.forwarded(asked({}), "192.168.0.1")
  expect(heard).toEqual([])
  for (const peer of ["::ffff:192.168.0.1", "192.168.0.2"]) proxies.forwarded(sent, peer)
  expect(heard).toEqual(["192.168.0.1"])
})

test.each([
  ["1.2.3.4", "1.2.3.4"],
  ["2001:db8::7", "2001:db8::7"],
  // The first trusted proxy adds an address on the right. Addresses that the caller sent are on its left.
  ["6.6.6.6, 1.2.3.4", "1.2.3.4"],
  ["127.0.0.1, 1.2.3.4, 10.1.1.1, fd00::1", "1.2.3.4"],
  ["10.0.0.1, 10.0.0.2", "10.0.0.1"],
  ["  1.2.3.4\t,10.0.0.2 ", "1.2.3.4"],
])("the address of the caller in '%s' is %s", (header, address) => {
  expect(addressOf(header)).toBe(address)
  expect(addressOf(header, "::ffff:127.0.0.1")).toBe(address)
  expect(addressOf(header, "fd12::34")).toBe(address)
})

test.each([
  ["1.2.3.4:5678", "1.2.3.4"],
  ["[2001:db8::7]", "2001:db8::7"],
  ["[2001:db8::7]:5678", "2001:db8::7"],
  ["fe80::1%eth0", "fe80::1"],
  ["::ffff:1.2.3.4", "1.2.3.4"],
  ["::ffff:102:304", "1.2.3.4"],
  ["9.9.9.9, ::FFFF:10.2.3.4", "9.9.9.9"],
])("all address formats of proxies are supported: '%s' is %s", (header, address) => {
  expect(addressOf(header)).toBe(address)
})

test.each([
  ["", "127.0.0.1"],
  [",", "127.0.0.1"],
  ["unknown", "127.0.0.1"],
  ["1.2.3.4, _hidden", "127.0.0.1"],
  ["1.2.3.4, <script>", "127.0.0.1"],
  ["1.2.3.4, 1.2.3.4:99999999", "127.0.0.1"],
  ["1.2.3.4, [::1", "127.0.0.1"],
  ["1.2.3.4, 010.0.0.1", "127.0.0.1"],
  ["1.2.3.4, , 10.0.0.2", "10.0.0.2"],
  ["evil.example, 10.0.0.2", "10.0.0.2"],
])("the caller in '%s' is the last proxy after the invalid part", (header, address) => {
  expect(addressOf(header)).toBe(address)
})

test("a forwarded header of any length is read quickly, and only its end is read", () => {
  expect(addressOf(`${"10.0.0.1, ".repeat(10_000)}1.2.3.4`)).toBe("1.2.3.4")
  expect(addressOf(`8.8.8.8, ${"10.0.0.1, ".repeat(10_000)}10.0.0.2`)).toBe("10.0.0.1")
  expect(addressOf(`${"1".repeat(1_000_000)}, 1.2.3.4`)).toBe("1.2.3.4")
  expect(addressOf("1".repeat(1_000_000))).toBe("127.0.0.1")
  expect(addressOf("[".repeat(1_000_000))).toBe("127.0.0.1")
  const one = asked({ for: "1,".repeat(500_000), host: "a".repeat(1_000_000) })
  const taken = threadTime(() => {
    for (let i = 0; i < 100; i += 1) PROXIES.forwarded(one, "127.0.0.1")
  }, 1_000)
  expect(taken).toBeLessThan(1_000)
})

describe("the public URL of the gateway", () => {
  test.each([
    [{}, undefined],
    [{ proto: "https" }, "https://gateway:8787"],
    [{ host: "ai.example.com" }, "http://ai.example.com"],
    [{ proto: "HTTPS", host: "ai.example.com:8443" }, "https://ai.example.com:8443"],
    [{ proto: "https", host: "[2001:db8::1]:443" }, "https://[2001:db8::1]"],
    // The nearest trusted proxy adds its address at the end, after the addresses of the caller.
    [
      { for: "1.2.3.4", proto: "http, https", host: "evil, ai.example.com" },
      "https://ai.example.com",
    ],
    // There are two proxies. The first was reached with TLS.
    [{ for: "1.2.3.4, 10.0.0.2", proto: "ftp, https, http" }, "https://gateway:8787"],
    [{ for: "1.2.3.4, 10.0.0.2", proto: "https" }, "https://gateway:8787"],
  ] as const)("follows forwarded headers: %o results in %s", (headers, origin) => {
    expect(originOf(headers)).toBe(origin)
  })

  test.each([
    { proto: "javascript", host: "ai.example.com" },
    { proto: "https", host: "evil.example/path" },
    { proto: "https", host: "user@evil.example" },
    { proto: "https", host: "evil.example?q" },
    { proto: "https", host: "evil.example#f" },
    { proto: "https", host: "ai.example.com:99999" },
    { proto: "https", host: "a b" },
    { proto: "https", host: '"><script>' },
    { proto: "https", host: "a".repeat(300) },
  ])("ignores an invalid header: %o", (headers) => {
    expect(originOf(headers)).toBeUndefined()
  })
})
