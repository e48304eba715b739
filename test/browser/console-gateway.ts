import { mkdirSync } from "node:fs"
import { join } from "node:path"
import type { Browser, BrowserContext, Page } from "playwright-core"
import {
  cleanEnvironment,
  createInstallation,
  type Installation,
  type ServingProcess,
  startServing,
} from "../support/process.ts"
import { LIMIT_MS } from "../support/until.ts"
import { type Scheme, sharedBrowser, testBrowser } from "./browser.ts"

const ROOT = Bun.fileURLToPath(new URL("../../", import.meta.url))
/**
 * The folder for images of the pages, if `TOLLGATE_TEST_IMAGES=1` is set. People use them to check a run. They are
 * never committed.
 */
const ARTEFACTS = join(ROOT, "test/browser/artefacts")

export const OPERATOR = {
  name: "Olive Operator",
  email: "olive@example.com",
  password: "a long enough password",
}

/** A gateway that was started for the first time, and a browser. */
export interface ConsoleGateway extends AsyncDisposable {
  readonly url: string
  readonly installation: Installation
  readonly gateway: ServingProcess
  /** The link to the setup page that the first start printed. */
  readonly setupLink: string
  /** The key that the first start printed. */
  readonly firstKey: string
  /**
   * Opens the browser of another person, without the cookies of others.
   * @param url the address at which this person reaches the gateway, if it differs.
   */
  visitor(options?: VisitorOptions, url?: string): Promise<Visitor>
}

export interface VisitorOptions {
  readonly width?: number
  readonly scheme?: Scheme
  /** The language of the browser, English unless given. */
  readonly locale?: string
}

/** The browser of one person. Every entry in `complaints` is a fault. */
export interface Visitor extends AsyncDisposable {
  readonly context: BrowserContext
  readonly page: Page
  /** Faults in the pages: script errors and violations of the content security policy. */
  readonly complaints: readonly string[]
}

/** Builds the console if necessary, and starts the gateway and the browser. */
export async function startConsole(yaml = ""): Promise<ConsoleGateway> {
  await using starting = new AsyncDisposableStack()
  buildConsole()
  const installation = starting.use(createInstallation(yaml))
  const environment = { TOLLGATE_PORT: "0" }
  const gateway = starting.use(await startServing(installation, environment))
  const browser = await sharedBrowser()
  const parts = starting.move()
  return {
    url: gateway.url,
    installation,
    gateway,
    setupLink: found(/console: (\S+)/, gateway.output()),
    firstKey: found(/key: (\S+)/, gateway.output()),
    visitor: (options, url = gateway.url) => openVisitor(browser, url, options),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  }
}

/** Whether this process has already built the console. */
let isBuilt = false

export function buildConsole(): void {
  if (isBuilt) return
  const command = [process.execPath, join(ROOT, "scripts/build-console.ts"), "--if-missing"]
  const { exitCode, stderr } = Bun.spawnSync(command, { cwd: ROOT, env: cleanEnvironment() })
  if (exitCode !== 0) throw new Error(`the console cannot be built: ${stderr.toString()}`)
  isBuilt = true
}

function found(pattern: RegExp, text: string): string {
  const word = pattern.exec(text)?.[1]
  if (word === undefined) throw new Error(`${String(pattern)} is not in: ${text}`)
  return word
}

/** Opens the browser of one person, without the cookies of others. */
export async function openVisitor(
  browser: Browser,
  url: string,
  { width = 1440, scheme = "light", locale = "en-US" }: VisitorOptions = {},
): Promise<Visitor> {
  const context = await testBrowser.openContext(browser, { url, width, scheme, locale })
  context.setDefaultTimeout(LIMIT_MS)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on("pageerror", (error) => complaints.push(String(error)))
  page.on("console", (line) => {
    // The browser logs a line for each unsuccessful response. Tests check these responses themselves.
    const isResponse = line.text().startsWith("Failed to load resource")
    if (line.type() === "error" && !isResponse) complaints.push(line.text())
  })
  return { context, page, complaints, [Symbol.asyncDispose]: () => context.close() }
}

/** Saves an image of the page if images are enabled. Drawing a complete page takes as long as loading it. */
export async function image(page: Page, name: string): Promise<void> {
  if (process.env["TOLLGATE_TEST_IMAGES"] !== "1") return
  mkdirSync(ARTEFACTS, { recursive: true })
  await page.screenshot({
    path: join(ARTEFACTS, `${name}.png`),
    fullPage: true,
    animations: "disabled",
  })
}

/** Makes the visitor the operator without the page of the one-time link, which takes longer, and opens the overview. */
export async function setUp({ page }: Visitor, link: string): Promise<void> {
  const { origin, searchParams } = new URL(link)
  const response = await page.request.post(`${origin}/admin/v1/setup`, {
    headers: { "x-tollgate-console": "1" },
    data: { token: searchParams.get("token"), ...OPERATOR },
  })
  if (!response.ok()) throw new Error(`the gateway is not set up: ${await response.text()}`)
  await page.goto(`${origin}/console/`)
  await showsOverview(page)
}

/** The first user signs up by the one-time link and becomes the operator. */
export async function setUpByLink({ page }: Visitor, link: string): Promise<void> {
  await page.goto(link)
  await page.getByLabel("Name").fill(OPERATOR.name)
  await page.getByLabel("Email").fill(OPERATOR.email)
  await page.getByLabel("Password", { exact: true }).fill(OPERATOR.password)
  await page.getByRole("button", { name: "Set up the gateway" }).click()
  await showsOverview(page)
}

/** Waits until the overview is complete. */
async function showsOverview(page: Page): Promise<void> {
  await page.getByRole("heading", { name: "Overview" }).waitFor()
  // Waits for the complete page, because Firefox reports an error if a page is left while a part of it is loading.
  await page.getByRole("heading", { level: 2 }).first().waitFor()
  await page.locator(".mantine-Skeleton-root").first().waitFor({ state: "detached" })
}

/** Opens a page with its navigation entry. */
export async function open({ page }: Visitor, name: string): Promise<void> {
  await page.getByRole("navigation").getByRole("link", { name, exact: true }).click()
  await page.getByRole("heading", { level: 1, name, exact: true }).waitFor()
}

/**
 * Opens a page of the console under `/console/`, as a link on another page would. The document is not reloaded, unless
 * that page is of the same kind, because a reload takes three times the processor time. Lists that the console has
 * already loaded may be shown as they were.
 */
export async function visit(page: Page, address: string): Promise<void> {
  const kind = (path: string): string => path.split(/[/?]/)[0] ?? ""
  const [, current] = new URL(page.url()).pathname.split("/console/")
  if (current === undefined || kind(current) === kind(address)) {
    await page.goto(`/console/${address}`)
    return
  }
  await page.evaluate(`(async () => {
    document.title = ""
    history.pushState(null, "", "/console/${address}")
    while (document.title === "") await new Promise((next) => requestAnimationFrame(next))
  })()`)
}

/** Sends a request to the management API from the page, with the session of the page. */
export async function ask(page: Page, method: string, path: string, body?: unknown) {
  const response = await page.request.fetch(`/admin/v1${path}`, {
    method,
    headers: { "x-tollgate-console": "1" },
    ...(body !== undefined && { data: body }),
  })
  return { status: response.status(), body: (await response.json()) as Record<string, unknown> }
}
