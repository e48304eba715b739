import { beforeAll, describe, expect, test } from "bun:test"
import type { Browser } from "playwright-core"
import { IS_EXHAUSTIVE } from "../support/exhaustive.ts"
import {
  createInstallation,
  type Installation,
  runJson,
  type ServingProcess,
  startServing,
} from "../support/process.ts"
import { sharedBrowser } from "./browser.ts"
import { buildConsole, open, openVisitor, OPERATOR, setUpByLink } from "./console-gateway.ts"
import { startIssuer } from "./issuer.ts"

const BASE = "/ai"
/** Headers that apply to a single connection. */
const OF_A_CONNECTION = ["connection", "keep-alive", "transfer-encoding", "content-encoding"]

interface ReverseProxy extends Disposable {
  /** The port of the gateway that receives the requests. */
  gatewayPort: number
  /** The address, including the base path. */
  readonly url: string
  /** Paths outside the base path that a browser requested. */
  readonly escaped: readonly string[]
}

/**
 * Starts a reverse proxy that serves a gateway under a path. Like nginx, it removes the path if `proxy_pass` ends with
 * a slash.
 */
function startReverseProxy(stripsPath: boolean): ReverseProxy {
  const escaped: string[] = []
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url)
      if (pathname !== BASE && !pathname.startsWith(`${BASE}/`)) {
        escaped.push(pathname)
        return new Response(null, { status: 404 })
      }
      const path = stripsPath ? pathname.slice(BASE.length) || "/" : pathname
      const { method, headers, body, signal } = request
      const answer = await fetch(`http://127.0.0.1:${proxy.gatewayPort}${path}${search}`, {
        method,
        headers,
        body,
        signal,
        redirect: "manual",
      })
      const kept = new Headers(answer.headers)
      for (const name of OF_A_CONNECTION) kept.delete(name)
      return new Response(answer.body, { status: answer.status, headers: kept })
    },
  })
  const proxy: ReverseProxy = {
    gatewayPort: 0,
    url: `http://127.0.0.1:${server.port}${BASE}`,
    escaped,
    [Symbol.dispose]: () => void server.stop(true),
  }
  return proxy
}

function freePort(): number {
  const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } })
  const { port } = listener
  listener.stop(true)
  return port
}

/**
 * Starts a gateway at a known port. Its output contains only the public address. Another process can take the port
 * before the gateway listens, so the gateway is then started at another port.
 */
async function startAtFreePort(
  installation: Installation,
): Promise<{ gateway: ServingProcess; port: number }> {
  const port = freePort()
  try {
    return { gateway: await startServing(installation, { TOLLGATE_PORT: String(port) }), port }
  } catch (error) {
    if (!String(error).includes("EADDRINUSE")) throw error
    return startAtFreePort(installation)
  }
}

let browser: Browser

beforeAll(async () => {
  buildConsole()
  browser = await sharedBrowser()
})

async function startBehind(stripsPath: boolean) {
  await using starting = new AsyncDisposableStack()
  const proxy = starting.use(startReverseProxy(stripsPath))
  const issuer = starting.use(await startIssuer())
  await issuer.admit(proxy.url)
  const installation = starting.use(
    createInstallation(`server: { public_url: "${proxy.url}/" }\n${issuer.yaml}`),
  )
  const { gateway, port } = await startAtFreePort(installation)
  starting.use(gateway)
  proxy.gatewayPort = port
  const parts = starting.move()
  return {
    proxy,
    issuer,
    installation,
    own: `http://127.0.0.1:${port}`,
    output: gateway.output(),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  }
}

describe.each([
  ["removes the base path", true],
  ["keeps the base path", false],
])("a gateway behind a proxy that %s", (_, stripsPath) => {
  test("uses the public address for clients, links and documents", async () => {
    await using behind = await startBehind(stripsPath)
    const { url, escaped } = behind.proxy
    const key = /^key: (\S+)$/m.exec(behind.output)?.[1] ?? ""
    expect(behind.output).toContain(`listening on ${url}\n`)
    expect(behind.output).toContain(`curl ${url}/v1/chat/completions`)
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
    const post = (path: string, body: object) =>
      fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) })
    const messages = [{ role: "user", content: "Hello" }]
    const whole = await post("/v1/chat/completions", { model: "sandbox/echo", messages })
    expect(whole.status).toBe(200)
    const receipt = await fetch(`${url}/v1/receipts/${whole.headers.get("x-request-id")}`, {
      headers,
    })
    expect(receipt.status).toBe(200)
    const streamed = await post("/v1/messages", {
      model: "sandbox/claude",
      messages,
      max_tokens: 9,
      stream: true,
    })
    expect(await streamed.text()).toContain("event: message_stop")
    const parts = [{ role: "user", parts: [{ text: "Hello" }] }]
    const google = await post("/v1beta/models/sandbox/gemini:generateContent", { contents: parts })
    expect(google.status).toBe(200)
    const image = await post("/v1/images/generations", { model: "sandbox/image", prompt: "a hat" })
    const { data } = (await image.json()) as { data: [{ url: string }] }
    expect(data[0].url).toStartWith(`${url}/v1/images/`)
    expect((await fetch(data[0].url)).status).toBe(200)
    const list = await fetch(`${url}/v1/models?limit=1`, { headers })
    expect(list.status).toBe(200)
    const document = (await (await fetch(`${url}/openapi.json`)).json()) as { servers: unknown }
    expect(document.servers).toEqual([{ url }])
    const docs = await (await fetch(`${url}/docs`)).text()
    for (const [, href = ""] of docs.matchAll(/href="([^"]+)"/g)) {
      const linked = new URL(href, `${url}/docs`)
      expect(linked.href).toStartWith(url)
      expect((await fetch(linked)).status).toBe(200)
    }
    const console = await (await fetch(`${url}/console/sign-in`)).text()
    const files = [...console.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, href = ""]) => href)
    expect(files.length).toBeGreaterThan(2)
    for (const file of files) {
      expect(file).toStartWith(`${BASE}/console/`)
      expect((await fetch(new URL(file, url))).status).toBe(200)
    }
    const session = await fetch(`${url}/admin/v1/session`)
    expect([session.status, await session.json()]).toMatchObject([401, { error: {} }])
    for (const path of ["", "/", "/console"]) {
      const moved = await fetch(url + path, { redirect: "manual" })
      expect(moved.headers.get("location")).toBe(`${BASE}/console/`)
    }
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    expect((await fetch(`${url}/v1/nothing`, { headers })).status).toBe(404)
    expect(escaped).toEqual([])
  })

  // Both proxies pass the same paths to the browser. The first test checks the files of the console behind each of them.
  test.skipIf(!stripsPath && !IS_EXHAUSTIVE)(
    "serves the console from the setup to the sign-in at an issuer",
    async () => {
      await using behind = await startBehind(stripsPath)
      const { proxy, issuer, output } = behind
      const link = /console: (\S+)/.exec(output)?.[1] ?? ""
      expect(link).toStartWith(`${proxy.url}/console/setup?token=`)
      await using operator = await openVisitor(browser, proxy.url)
      const { page, context } = operator
      await setUpByLink(operator, link)
      const cookies = await context.cookies(`${proxy.url}/`)
      expect(cookies.map(({ path }) => path)).toEqual(cookies.map(() => `${BASE}/`))
      expect(cookies.length).toBeGreaterThan(0)
      await open(operator, "Models")
      expect(page.url()).toStartWith(`${proxy.url}/console/models`)
      await page.reload()
      await page.getByRole("heading", { level: 1, name: "Models" }).waitFor()
      await open(operator, "Keys")
      await page.getByRole("button", { name: "Create a key" }).first().click()
      await page.getByLabel("Name").fill("laptop")
      await page.getByRole("button", { name: "Create the key" }).click()
      await page.getByRole("button", { name: "I have copied it" }).click()
      // Without the proxy, the gateway serves the console below the same path.
      await using inside = await openVisitor(browser, behind.own)
      await inside.page.goto(`${behind.own}/console/sign-in`)
      await inside.page.waitForURL(`${behind.own}${BASE}/console/sign-in`)
      await inside.page.getByRole("heading", { name: "Sign in" }).waitFor()
      issuer.people.set("olive", { email: OPERATOR.email, isVerified: true, name: OPERATOR.name })
      await using visitor = await openVisitor(browser, proxy.url)
      await visitor.page.goto(`${proxy.url}/console/keys`)
      await visitor.page.getByRole("button", { name: "Sign in with Our company" }).click()
      await visitor.page.getByPlaceholder("Enter any login").fill("olive")
      await visitor.page.getByPlaceholder("and password").fill("any password")
      await visitor.page.getByRole("button", { name: "Sign-in" }).click()
      await visitor.page.getByRole("button", { name: "Continue" }).click()
      await visitor.page.waitForURL((url) => url.pathname === `${BASE}/console/keys`)
      await visitor.page.getByRole("heading", { level: 1, name: "Keys" }).waitFor()
      expect([...operator.complaints, ...visitor.complaints, ...inside.complaints]).toEqual([])
      expect(proxy.escaped).toEqual([])
      const { link: reset } = await runJson<{ link: string }>(
        behind.installation,
        "user",
        "reset",
        OPERATOR.email,
      )
      expect(reset).toStartWith(`${proxy.url}/console/reset?token=`)
    },
  )
})
