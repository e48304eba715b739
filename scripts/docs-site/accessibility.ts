import { join } from "node:path"
import { sharedBrowser } from "../../test/browser/browser.ts"
import { faultsOf } from "../../test/browser/axe-faults.ts"

/** Pages of each kind: the home page, text, code, wide tables, images, generated pages. */
const SAMPLE = [
  "index",
  "use/quick-start",
  "use/errors",
  "run/console",
  "run/troubleshooting",
  "reference/settings",
  "reference/rest/index",
  "contribute/benchmark",
]

const SCHEMES = ["light", "dark"] as const

/**
 * Serves a built site and checks a sample of its pages with axe.
 * @returns the faults, one line each.
 */
export async function accessibilityFaults(folder: string): Promise<string[]> {
  using server = Bun.serve({ port: 0, fetch: (request) => fileOf(folder, request) })
  const browser = await sharedBrowser()
  const faults: string[] = []
  for (const colorScheme of SCHEMES) {
    const context = await browser.newContext({ colorScheme, reducedMotion: "reduce" })
    const page = await context.newPage()
    for (const address of SAMPLE) {
      await page.goto(`${server.url.origin}/${address}.html`)
      await page.getByRole("main").or(page.locator(".VPHome")).first().waitFor()
      const found = await faultsOf(page)
      faults.push(...found.map((fault) => `${address} (${colorScheme}): ${fault}`))
    }
    await context.close()
  }
  return faults
}

async function fileOf(folder: string, request: Request): Promise<Response> {
  const { pathname } = new URL(request.url)
  const file = Bun.file(join(folder, pathname === "/" ? "index.html" : pathname))
  return (await file.exists()) ? new Response(file) : new Response("not found", { status: 404 })
}
