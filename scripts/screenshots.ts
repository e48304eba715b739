/**
 * Takes the screenshots of the console for the documentation, from a gateway with simulated traffic:
 * `npm run docs:screenshots`. It needs the packages of the tests.
 */
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { startSimulator } from "../simulator/server.ts"
import { sharedBrowser } from "../test/browser/browser.ts"
import { ask, openVisitor, setUp, type Visitor } from "../test/browser/console-gateway.ts"
import { createInstallation, startServing } from "../test/support/process.ts"
import { fillInstallation, simulatedSettings } from "./screenshots/installation.ts"

const FOLDER = join(import.meta.dir, "../docs/public/screenshots")
const POLL_INTERVAL_MS = 250
const WINDOW = { width: 1280, height: 800 }

/** Models of the live requests, one for each format. */
const LIVE_MODELS = [
  "openai/gpt-5.4-mini",
  "anthropic/claude-sonnet-5",
  "google/gemini-3.5-flash",
  "groq/llama-3.3-70b-versatile",
  "openai/gpt-5.4",
]

await using simulator = startSimulator()
using installation = createInstallation(simulatedSettings(simulator.url))
const key = await fillInstallation(installation)
await using gateway = await startServing(installation, { TOLLGATE_PORT: "0" })
const receipt = await sendRequests(gateway.url, key)
mkdirSync(FOLDER, { recursive: true })

await using browser = await sharedBrowser()
await using operator = await openVisitor(browser, gateway.url, WINDOW)
const setupLink = /console: (\S+)/.exec(gateway.output())?.[1]
if (setupLink === undefined) throw new Error("the gateway printed no setup link")
await setUp(operator, setupLink)
await waitForReports(operator)
await take(operator, "", "overview")
await take(operator, "requests", "requests")
await take(operator, `requests/${receipt}`, "receipt")
await take(operator, "usage", "usage")
await take(operator, "models", "models")
await take(operator, "keys", "keys")

/** Waits until the index of requests, which is built in the background, contains the live requests. */
async function waitForReports({ page }: Visitor): Promise<void> {
  for (;;) {
    const { body } = await ask(page, "GET", "/usage/overview")
    if (Number(body["p95_duration_ms"] ?? 0) > 0 && Number(body["requests_today"]) > 0) return
    await Bun.sleep(POLL_INTERVAL_MS)
  }
}

/**
 * Sends one request to each model.
 * @returns the id of the second request, which was translated.
 */
async function sendRequests(url: string, key: string): Promise<string> {
  const ids: string[] = []
  for (const model of LIVE_MODELS) {
    const content = "Write a release note for version 2.4 in three sentences."
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        "x-tollgate-user": "customer-17",
        "x-tollgate-tags": "feature=release-notes",
      },
      body: JSON.stringify({ model, max_tokens: 400, messages: [{ role: "user", content }] }),
    })
    if (!response.ok) throw new Error(`${model}: ${response.status} ${await response.text()}`)
    await response.arrayBuffer()
    ids.push(response.headers.get("x-request-id") ?? "")
  }
  return ids[1] ?? ""
}

async function take({ page }: Visitor, address: string, name: string): Promise<void> {
  await page.setViewportSize(WINDOW)
  await page.goto(`/console/${address}`)
  await page.getByRole("heading", { level: 1 }).waitFor()
  await page.locator(".mantine-Skeleton-root").first().waitFor({ state: "detached" })
  await page.waitForLoadState("networkidle")
  await page.screenshot({ path: join(FOLDER, `${name}.png`), animations: "disabled" })
}
