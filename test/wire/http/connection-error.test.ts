import { describe, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { createServer, type Socket } from "node:net"
import { join } from "node:path"
import { HttpClient } from "../../../src/wire/http/client.ts"
import { connectionErrorOf } from "../../../src/wire/http/connection-error.ts"
import { startRawServer } from "./raw-server.ts"

const FOLDER = join(import.meta.dir, "certificates")
const TLS = {
  key: readFileSync(join(FOLDER, "server.key"), "utf8"),
  cert: readFileSync(join(FOLDER, "server.pem"), "utf8"),
}
const SECRET = "user-secret"
const QUERY = "key=query-secret"
const SOURCE = import.meta.resolve("../../../src/wire/http")

interface TestServer extends AsyncDisposable {
  readonly url: string
}

interface Described {
  readonly phase: string
  readonly code: string
  readonly message: string
}

/** Starts a server that performs an action on a connection after a request has arrived. */
async function serve(scheme: string, act: (socket: Socket) => void): Promise<TestServer> {
  const server = createServer((socket) => {
    socket.on("error", () => {})
    socket.once("data", () => act(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return {
    url: `${scheme}://127.0.0.1:${port}/v1?${QUERY}`,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

/** Returns a port on which no server listens. */
async function closedPort(scheme: string): Promise<TestServer> {
  await using server = await serve(scheme, () => {})
  return { url: server.url, [Symbol.asyncDispose]: async () => {} }
}

async function tlsServer(host: string): Promise<TestServer> {
  const server = startRawServer(() => {}, "127.0.0.1", TLS)
  return {
    url: `https://${host}:${server.port}/v1?${QUERY}`,
    [Symbol.asyncDispose]: async () => server[Symbol.dispose](),
  }
}

const nowhere = (url: string): Promise<TestServer> =>
  Promise.resolve({ url, [Symbol.asyncDispose]: async () => {} })

const CASES: readonly [
  string,
  () => Promise<TestServer>,
  phase: string,
  code: string,
  words: string,
][] = [
  ["a closed port", () => closedPort("http"), "connect", "ECONNREFUSED", "refused"],
  [
    "an unknown name",
    () => nowhere(`https://no-such-host.invalid/v1?${QUERY}`),
    "resolve",
    "ENOTFOUND",
    "no-such-host.invalid",
  ],
  [
    "a certificate of an unknown authority",
    () => tlsServer("localhost"),
    "tls",
    "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
    "NODE_EXTRA_CA_CERTS",
  ],
  [
    "TLS to a plain port",
    () => serve("https", (socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")),
    "tls",
    "EPROTO",
    "does not use TLS",
  ],
  [
    "a reset before the response",
    () => serve("http", (socket) => socket.resetAndDestroy()),
    "first_byte",
    "ECONNRESET",
    "before a response",
  ],
  [
    "a server that does not speak HTTP",
    () => serve("http", (socket) => socket.end("SSH-2.0-OpenSSH_9\r\n\r\n")),
    "first_byte",
    "EPROTOCOL",
    "no HTTP/1.1 status line",
  ],
]

/** Returns how the gateway's client and the runtime's client describe a failure at a URL. */
async function failuresAt(url: string): Promise<Described[]> {
  using client = new HttpClient({})
  const { response } = client.send({ url, headers: new Headers(), body: "{}" })
  const calls = [response, fetch(url, { method: "POST", body: "{}" })]
  return await Promise.all(
    calls.map((call) =>
      call.then(
        () => {
          throw new Error("the call has succeeded")
        },
        (error: unknown) => connectionErrorOf(error),
      ),
    ),
  )
}

describe("the cause of a failed connection", () => {
  test.each(CASES)("names %s", async (...parts) => {
    const [, open, phase, code, words] = parts
    await using server = await open()
    for (const failure of await failuresAt(server.url)) {
      expect(failure).toMatchObject({ phase, code })
      expect(failure.message).toContain(words)
      expect(failure.message).toEndWith(`(${code})`)
      expect(failure.message).not.toContain("secret")
    }
  })

  test("names a connection that was closed without a response", async () => {
    await using server = await serve("http", (socket) => socket.end())
    const [own, runtime] = await failuresAt(server.url)
    expect(own).toMatchObject({ phase: "first_byte", code: "EPROTOCOL" })
    expect(runtime).toMatchObject({ phase: "first_byte", code: "ECONNRESET" })
  })

  test("names a connection that was reset within a response", async () => {
    await using server = await serve("http", (socket) => {
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{", () =>
        socket.resetAndDestroy(),
      )
    })
    using client = new HttpClient({})
    const request = { url: server.url, headers: new Headers(), body: "{}" }
    const read = client.send(request).response.then(({ body }) => Array.fromAsync(body))
    const error = await read.then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    expect(connectionErrorOf(error, { isAnswered: true })).toMatchObject({
      phase: "idle",
      code: "ECONNRESET",
      message: expect.stringContaining("in the middle of the response"),
    })
  })

  test("names a timeout that the runtime's client reported", async () => {
    await using server = await serve("http", () => {})
    const error = await fetch(server.url, { signal: AbortSignal.timeout(50) }).then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    expect(connectionErrorOf(error)).toMatchObject({ phase: "first_byte", code: "ETIMEDOUT" })
  })

  test.each([
    [{ code: "CERT_HAS_EXPIRED" }, "tls", "expired"],
    [{ code: "DEPTH_ZERO_SELF_SIGNED_CERT" }, "tls", "self-signed"],
    [{ code: "ERR_TLS_CERT_ALTNAME_INVALID" }, "tls", "another host name"],
    [{ code: "PATH_LENGTH_EXCEEDED" }, "tls", "an authority in it allows"],
    [{ code: "PERMITTED_VIOLATION" }, "tls", "does not allow this host name"],
    [{ code: "UNHANDLED_CRITICAL_EXTENSION" }, "tls", "critical extension"],
    [{ code: "CERT_SIGNATURE_FAILURE" }, "tls", "signature does not match"],
    [
      { code: "EPROTO", message: "error:1:SSL:OPENSSL_internal:TLSV1_ALERT_PROTOCOL_VERSION" },
      "tls",
      "supports no TLS version",
    ],
    [{ code: "EHOSTUNREACH" }, "connect", "host cannot be reached"],
    [
      { code: `x?${QUERY}`, message: `https://u:${SECRET}@host` },
      "first_byte",
      "connection failed",
    ],
    [`https://u:${SECRET}@host`, "first_byte", "connection failed"],
    [undefined, "first_byte", "connection failed"],
  ])("contains no text from unknown errors (%#)", (thrown, phase, words) => {
    const failure = connectionErrorOf(thrown)
    expect(failure.phase).toBe(phase as typeof failure.phase)
    expect(failure.message).toContain(words)
    expect(failure.message).not.toContain("secret")
  })
})

/** Returns how a separate process describes the failure at an address through a proxy. */
async function throughProxy(proxy: string, url: string): Promise<Described> {
  const script = `
    const { HttpClient } = await import(${JSON.stringify(`${SOURCE}/client.ts`)})
    const { connectionErrorOf } = await import(${JSON.stringify(`${SOURCE}/connection-error.ts`)})
    using client = new HttpClient(process.env)
    const request = { url: ${JSON.stringify(url)}, headers: new Headers(), body: "{}" }
    const error = await client.send(request).response.then(() => undefined, (thrown) => thrown)
    const { phase, code, message } = connectionErrorOf(error)
    console.log(JSON.stringify({ phase, code, message }))
    process.exit()`
  const environment = { HTTPS_PROXY: proxy, HTTP_PROXY: proxy }
  const child = Bun.spawn([process.execPath, "-e", script], {
    env: environment,
    stderr: "inherit",
  })
  return JSON.parse(await new Response(child.stdout).text()) as Described
}

describe("the cause of a failed connection to a proxy", () => {
  test("names a proxy that requires credentials", async () => {
    await using proxy = await serve("http", (socket) =>
      socket.end("HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n"),
    )
    const address = `http://user:${SECRET}@${new URL(proxy.url).host}`
    const failure = await throughProxy(address, `https://provider.invalid/v1?${QUERY}`)
    expect(failure).toMatchObject({ phase: "proxy", code: "ERR_PROXY_TUNNEL" })
    expect(failure.message).toContain("407")
    expect(failure.message).not.toContain("secret")
  })

  test.each(["socks5", "socks5h"])("names a proxy that responds with %p", async (scheme) => {
    const address = `${scheme}://user:${SECRET}@127.0.0.1:1`
    for (const url of [
      `https://provider.invalid/v1?${QUERY}`,
      `http://provider.invalid/?${QUERY}`,
    ]) {
      const failure = await throughProxy(address, url)
      expect(failure).toMatchObject({ phase: "proxy", code: "UnsupportedProxyProtocol" })
      expect(failure.message).toContain("ALL_PROXY names a SOCKS")
      expect(failure.message).not.toContain("secret")
    }
  })

  test("names a proxy that does not run", async () => {
    await using proxy = await closedPort("http")
    const address = `http://user:${SECRET}@${new URL(proxy.url).host}`
    const failure = await throughProxy(address, `https://provider.invalid/v1?${QUERY}`)
    expect(failure).toMatchObject({ phase: "connect", code: "ECONNREFUSED" })
    expect(failure.message).toContain("HTTPS_PROXY")
    expect(failure.message).not.toContain("secret")
  })
})
