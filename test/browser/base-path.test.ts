import { beforeAll, describe, expect, test } from "bun:test"
import { BASE, PROXIES, startBehind } from "./base-path-gateway.ts"
import { buildConsole } from "./console-gateway.ts"

beforeAll(buildConsole)

describe.each(PROXIES)("a gateway behind a proxy that %s", (_, stripsPath) => {
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
})
