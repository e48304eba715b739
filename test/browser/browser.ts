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
  readonly locale: string
}

/** The parts that differ between the browsers that the tests control. */
interface TestBrowser {
  /** Whether the driver can show a page as it is printed. */
  readonly canShowPrint: boolean
  /** @param isOptimizing whether the browser optimizes scripts as the browser of a person does. */
  launch(isOptimizing?: boolean): Promise<Browser>
  /** Opens a window with separate cookies. */
  openContext(browser: Browser, window: BrowserWindow): Promise<BrowserContext>
  /** Changes the appearance of an open page. */
  changeScheme(page: Page, scheme: Scheme): Promise<void>
  /** Returns the file that an action on a page saves. */
  savedFile(page: Page, action: () => Promise<void>): Promise<SavedFile>
}

/** A browser from npm that can run on every machine that runs the tests. */
const CHROMIUM: TestBrowser = {
  canShowPrint: true,
  launch(isOptimizing = false) {
    return chromiumDriver.launch({
      executablePath: chromiumExecutable(),
      // The driver's default arguments are not used, because they disable the isolation of pages. Tests disable the
      // optimizing compilers, which take a tenth of a test's processor time, because pages are open only briefly.
      args: ["--no-sandbox", ...(isOptimizing ? [] : ["--js-flags=--no-opt,--no-maglev"])],
      headless: true,
    })
  },
  openContext(browser, { url, width, scheme, locale }) {
    return browser.newContext({
      ...windowOf(url, width),
      locale,
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

/** The storage name under which the console stores the selected color scheme. */
const REMEMBERED_SCHEME = "mantine-color-scheme-value"

/**
 * The name of a function that the driver calls in a page to enter text. The driver's version sets the value of the
 * field, which React does not notice. The replacement uses the browser's command, which has the same effect as typing
 * and pasting.
 */
const DRIVER_INSERT_TEXT = "__pw_bidiInsertText"

/**
 * The folder in which each browser saves files. The driver ignores downloads that were not started by a navigation,
 * such as those of data created by a page.
 */
const downloadFolders = new WeakMap<Browser, DownloadFolder>()

/**
 * The Firefox of this machine. Its protocol, WebDriver BiDi, does not emulate media features. They are set as
 * preferences where possible, and the color scheme is selected in the console.
 */
const FIREFOX: TestBrowser = {
  canShowPrint: false,
  async launch() {
    const folder = new DownloadFolder()
    const browser = await firefoxDriver.launch({
      channel: "moz-firefox",
      downloadsPath: folder.path,
      executablePath: findFirefox(),
      headless: true,
      firefoxUserPrefs: {
        "ui.prefersReducedMotion": 1,
        // The browser's requests to Mozilla must fail. Only addresses of this machine are reached without the proxy.
        "network.proxy.type": 1,
        "network.proxy.http": "127.0.0.1",
        "network.proxy.http_port": 9,
        "network.proxy.ssl": "127.0.0.1",
        "network.proxy.ssl_port": 9,
        // Pages may read the clipboard without asking the user.
        "dom.events.testing.asyncClipboard": true,
      },
    })
    browser.on("disconnected", () => folder.remove())
    downloadFolders.set(browser, folder)
    return browser
  },
  async openContext(browser, { url, width, scheme, locale }) {
    const context = await browser.newContext(windowOf(url, width))
    await context.addInitScript(`(() => {
      if (location.protocol.startsWith("http")) localStorage["${REMEMBERED_SCHEME}"] ??= "${scheme}"
      addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
        console.error("rejected by the content security policy:", violatedDirective, blockedURI))
      Object.defineProperty(navigator, "languages", { get: () => ["${locale}"] })
      // The protocol only reports that an error was logged. This wrapper reports its content.
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
    // Has the same effect as selecting the color scheme in another window of the same person.
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

/** The browser ends together with the process. */
let shared: Promise<Browser> | undefined

/** Returns the browser that all test files of this process share. Each visitor has a separate context. */
export async function sharedBrowser(): Promise<Browser> {
  const known = await shared
  if (known?.isConnected() === true) return known
  shared = testBrowser.launch()
  return shared
}

/** The browser that `TOLLGATE_TEST_BROWSER` names. */
export const testBrowser = chosenBrowser(process.env["TOLLGATE_TEST_BROWSER"])

function chosenBrowser(name = "chromium"): TestBrowser {
  if (name === "chromium") return CHROMIUM
  if (name === "firefox") return FIREFOX
  throw new Error(`TOLLGATE_TEST_BROWSER is "${name}": it can be "chromium" or "firefox"`)
}
