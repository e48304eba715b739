import { readFileSync } from "node:fs"
import {
  type Browser,
  type BrowserContext,
  chromium as chromiumDriver,
  firefox as firefoxDriver,
  type Page,
} from "playwright-core"
import { chromiumExecutable } from "./chromium-executable.ts"
import { DownloadFolder, type SavedFile } from "./download-folder.ts"
import { findFirefox } from "./firefox.ts"

export type Scheme = "light" | "dark"

/** The settings of a browser window when it opens. */
export interface BrowserWindow {
  readonly url: string
  readonly width: number
  readonly scheme: Scheme
}

/** The differences between the browsers that the tests drive. */
interface TestBrowser {
  launch(): Promise<Browser>
  /** @returns a window of someone: no cookie of another. */
  openContext(browser: Browser, window: BrowserWindow): Promise<BrowserContext>
  /** Changes the appearance of an open page. */
  changeScheme(page: Page, scheme: Scheme): Promise<void>
  /** @returns the file that an action in a page saves. */
  savedFile(page: Page, action: () => Promise<void>): Promise<SavedFile>
}

/** A browser from npm that runs on every machine on which the tests run. */
const CHROMIUM: TestBrowser = {
  launch() {
    return chromiumDriver.launch({
      executablePath: chromiumExecutable(),
      // Without the driver's own arguments, which would disable the isolation of pages. Pages are open too briefly for
      // the optimizing compilers, which take a tenth of a test's processor time.
      args: ["--no-sandbox", "--js-flags=--no-opt,--no-maglev"],
      headless: true,
    })
  },
  openContext(browser, { url, width, scheme }) {
    return browser.newContext({
      ...windowOf(url, width),
      colorScheme: scheme,
      reducedMotion: "reduce",
      permissions: ["clipboard-read", "clipboard-write"],
    })
  },
  changeScheme: (page, scheme) =>
    page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" }),
  async savedFile(page, action) {
    const [download] = await Promise.all([page.waitForEvent("download"), action()])
    return {
      name: download.suggestedFilename(),
      text: readFileSync(await download.path(), "utf8"),
    }
  },
}

/** The place where the console stores the chosen color scheme. */
const REMEMBERED_SCHEME = "mantine-color-scheme-value"

/**
 * The function that the driver calls in a page to enter a text. The driver's own version sets the value of the field,
 * which React does not notice; the browser's command does the same as typing and pasting.
 */
const DRIVER_INSERT_TEXT = "__pw_bidiInsertText"

/**
 * The folder in which each of them saves. The driver ignores downloads that no navigation began, for example of data
 * that a page has created.
 */
const downloadFolders = new WeakMap<Browser, DownloadFolder>()

/**
 * The installed browser. Its protocol, WebDriver BiDi, emulates no media features, so they are set as preferences where
 * possible, and the color scheme is chosen in the console.
 */
const FIREFOX: TestBrowser = {
  async launch() {
    const folder = new DownloadFolder()
    const browser = await firefoxDriver.launch({
      channel: "moz-firefox",
      downloadsPath: folder.path,
      executablePath: findFirefox(),
      headless: true,
      firefoxUserPrefs: {
        "ui.prefersReducedMotion": 1,
        // Requests of the browser to its vendor fail: only addresses on the loopback need no proxy.
        "network.proxy.type": 1,
        "network.proxy.http": "127.0.0.1",
        "network.proxy.http_port": 9,
        "network.proxy.ssl": "127.0.0.1",
        "network.proxy.ssl_port": 9,
        // Pages read the clipboard without a question.
        "dom.events.testing.asyncClipboard": true,
      },
    })
    browser.on("disconnected", () => folder.remove())
    downloadFolders.set(browser, folder)
    return browser
  },
  async openContext(browser, { url, width, scheme }) {
    const context = await browser.newContext(windowOf(url, width))
    await context.addInitScript(`(() => {
      if (location.protocol.startsWith("http")) localStorage["${REMEMBERED_SCHEME}"] ??= "${scheme}"
      addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
        console.error("refused by the content security policy:", violatedDirective, blockedURI))
      // The protocol says of an error in the console only that it is one.
      const { error: write } = console
      console.error = (...parts) =>
        write.apply(console, parts.map((part) => (part instanceof Error ? String(part) : part)))
      Object.defineProperty(window, "${DRIVER_INSERT_TEXT}", {
        get: () => (text) => { document.execCommand("insertText", false, text) },
        set() {},
      })
    })()`)
    return context
  },
  async changeScheme(page, scheme) {
    // The same effect as a choice in another window of the same person.
    await page.evaluate(`(() => {
      const key = "${REMEMBERED_SCHEME}"
      localStorage[key] = "${scheme}"
      dispatchEvent(new StorageEvent("storage", { key, newValue: "${scheme}", storageArea: localStorage }))
    })()`)
  },
  savedFile(page, action) {
    const browser = page.context().browser()
    const folder = browser === null ? undefined : downloadFolders.get(browser)
    if (folder === undefined) throw new Error("this browser was not launched here")
    return folder.fileOf(action)
  },
}

function windowOf(url: string, width: number) {
  return { baseURL: url, viewport: { width, height: 900 } }
}

/** Ends with the process. */
let shared: Promise<Browser> | undefined

/** Returns the browser of all files that this process runs; each visitor has a context. */
export async function sharedBrowser(): Promise<Browser> {
  const known = await shared
  if (known?.isConnected() === true) return known
  shared = testBrowser.launch()
  return shared
}

/** Chosen by `TOLLGATE_TEST_BROWSER`. */
export const testBrowser = chosenBrowser(process.env["TOLLGATE_TEST_BROWSER"])

function chosenBrowser(name = "chromium"): TestBrowser {
  if (name === "chromium") return CHROMIUM
  if (name === "firefox") return FIREFOX
  throw new Error(`TOLLGATE_TEST_BROWSER is "${name}": it can be "chromium" or "firefox"`)
}
