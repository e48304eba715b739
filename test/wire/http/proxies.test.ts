import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import {
  isProxied,
  proxyFault,
  proxyFor,
  proxyHost,
  proxyWarnings,
} from "../../../src/wire/http/proxies.ts"
import { pinnedFetch, PinnedFetchError } from "../../../src/wire/http/pinned-fetch.ts"
import { responseOf, startRawServer } from "./raw-server.ts"

const NAMES = ["http", "https", "all", "no"].flatMap((name) => {
  const variable = `${name}_proxy`
  return [variable, variable.toUpperCase()]
})
const saved = new Map<string, string | undefined>()

beforeEach(() => {
  for (const name of NAMES) {
    saved.set(name, process.env[name])
    delete process.env[name]
  }
})

afterEach(() => {
  for (const [name, value] of saved) {
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
  }
})

describe("proxy selection, compared with the runtime's selection", () => {
  const ENTRIES = [
    "",
    "*",
    "localhost",
    " x LocalHost ",
    ".localhost",
    "*.localhost",
    "localhost.",
    "host",
    "local*",
    "http://localhost",
    "localhost:PORT",
    "localhost:1",
    "127.0.0.1",
    "127.0.0.0/8",
    "127.0.0.0/33",
    "127.0.0.1:PORT",
    "10.0.0.0/8",
    "::1",
  ]
  const HOSTS = ["localhost", "a.localhost", "127.0.0.1", "localhost."]

  test.each(ENTRIES)("applies the exception %p", async (entry) => {
    using proxy = startRawServer(({ socket }) => void socket.write(responseOf("proxy")))
    using direct = startRawServer(({ socket }) => void socket.write(responseOf("direct")))
    const { port } = new URL(direct.url)
    process.env["http_proxy"] = proxy.url
    process.env["no_proxy"] = entry.replace("PORT", port)
    for (const host of HOSTS) {
      const url = new URL(`http://${host}:${port}/`)
      const response = await fetch(url)
      expect([host, await response.text()]).toEqual([
        host,
        isProxied(url, process.env) ? "proxy" : "direct",
      ])
    }
  })

  test.each([
    { http_proxy: "", HTTP_PROXY: "PROXY" },
    { http_proxy: "PROXY", HTTP_PROXY: "http://127.0.0.1:1" },
    { ALL_PROXY: "PROXY" },
    { all_proxy: "PROXY", ALL_PROXY: "http://127.0.0.1:1" },
    { ALL_PROXY: "http://127.0.0.1:1", HTTP_PROXY: "PROXY" },
    { http_proxy: "PROXY", no_proxy: "elsewhere", NO_PROXY: "localhost" },
  ])("applies the variables %p", async (variables: Record<string, string>) => {
    using proxy = startRawServer(({ socket }) => void socket.write(responseOf("proxy")))
    for (const [name, value] of Object.entries(variables)) {
      process.env[name] = value.replace("PROXY", proxy.url)
    }
    expect(isProxied(new URL("http://localhost:1/"), process.env)).toBe(true)
    expect(proxyFor("http:", process.env)?.value).toBe(proxy.url)
    const response = await fetch("http://localhost:1/")
    expect(await response.text()).toBe("proxy")
  })

  test("does not use HTTPS_PROXY for http URLs", () => {
    expect(isProxied(new URL("http://a.example/"), { HTTPS_PROXY: "http://p:1" })).toBe(false)
  })
})

describe("a configured proxy", () => {
  test.each(["http://proxy:3128", "proxy:3128", "https://user:p%40ss@proxy", "http://[::1]:8080"])(
    "can be %s",
    (value) => expect(proxyFault({ variable: "HTTP_PROXY", value })).toBeUndefined(),
  )

  test.each([
    "socks5://proxy:1080",
    "SOCKS5H://proxy:1080",
    ":::",
    "ftp://proxy",
    "http://user:p@ss/w@proxy",
    "user:word@proxy:3128",
  ])("causes an error without its value if it is invalid: %s", (value) => {
    const [warning = ""] = proxyWarnings({ ALL_PROXY: value })
    expect(warning).toStartWith("ALL_PROXY: ")
    expect(warning).not.toContain(value)
  })

  test("appears without its password", () => {
    expect(proxyHost({ variable: "HTTP_PROXY", value: "http://user:word@proxy:3128/" })).toBe(
      "http://proxy:3128",
    )
  })
})

describe("an address chosen by a caller", () => {
  const call = (address: string, allowsPrivate = false) =>
    pinnedFetch(new URL(address), { headers: {}, allowsPrivate, deadline: 10_000 })

  test("reaches the proxy by name, because the proxy might resolve private names", async () => {
    using proxy = startRawServer(({ socket }) => void socket.write(responseOf("ok")))
    process.env["HTTP_PROXY"] = proxy.url
    const response = await call("http://hooks.invalid:8931/hook")
    expect(await response.text()).toBe("ok")
    const [side] = proxy.sides
    expect(side?.received).toStartWith("GET http://hooks.invalid:8931/hook HTTP/1.1\r\n")
    expect(side?.received.toLowerCase()).toContain("\r\nhost: hooks.invalid:8931\r\n")
  })

  test.each(["localhost", ".LOCALHOST", "*", "localhost:PORT"])(
    "bypasses the proxy and is pinned for NO_PROXY=%s",
    async (exception) => {
      using proxy = startRawServer(({ socket }) => void socket.write(responseOf("proxy")))
      using direct = startRawServer(({ socket }) => void socket.write(responseOf("direct")))
      const { port } = new URL(direct.url)
      process.env["http_proxy"] = proxy.url
      process.env["NO_PROXY"] = exception.replace("PORT", port)
      const response = await call(`http://localhost:${port}/`, true)
      expect(await response.text()).toBe("direct")
      expect(proxy.sides).toHaveLength(0)
      expect(direct.sides[0]?.received).toContain(`localhost:${port}\r\n`)
    },
  )

  test.each([
    "http://127.0.0.1/",
    "http://169.254.169.254/latest/meta-data/",
    "http://[::1]/",
    "http://[::ffff:10.0.0.1]/",
    "http://2130706433/",
    "http://localhost/",
    "http://db.localhost./",
    "http://metadata.google.internal/",
    "http://printer.local/",
    "http://intranet/",
  ])("never reaches the proxy if it is %s", async (address) => {
    using proxy = startRawServer(({ socket }) => void socket.write(responseOf("ok")))
    process.env["ALL_PROXY"] = proxy.url
    const thrown = await call(address).catch((error: unknown) => error)
    expect(thrown).toBeInstanceOf(PinnedFetchError)
    expect(thrown).toMatchObject({ isRejected: true })
    expect(proxy.sides).toHaveLength(0)
  })
})
