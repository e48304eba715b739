import { testBrowser } from "../../test/browser/browser.ts"
import { openVisitor, setUp, type Visitor } from "../../test/browser/console-gateway.ts"
import { type CallTime, summed } from "./time-calls.ts"

/** The pages of the navigation, in the order in which they are opened. */
const PAGES = [
  "Requests",
  "Usage",
  "Keys",
  "Connect",
  "Credits",
  "Models",
  "Playground",
  "Members",
  "Notices",
  "Audit",
  "Providers",
  "Accounts",
  "Price groups",
  "Users",
  "Codes",
  "Settings",
  "Overview",
]
/** A page is at rest if it has had no pending request for this long. */
const QUIET_MS = 60

/**
 * Clicks the navigation entry of a page and waits until the page is complete: its heading is visible, and no
 * placeholder remains. The result is the time in milliseconds on the page's clock.
 */
const CHANGE = `(name) => new Promise((resolve) => {
  const link = [...document.querySelectorAll("nav a")].find(({ textContent }) => textContent.trim() === name)
  const begun = performance.now()
  link.click()
  const look = () => {
    const heading = document.querySelector("main h1, h1")
    const isWhole = heading?.textContent === name && document.querySelector(".mantine-Skeleton-root, .mantine-Loader-root") === null
    if (isWhole) resolve(performance.now() - begun)
    else requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
})`

/**
 * Measures in a browser how long a change to each page takes, with all accounts and with one account. The first change
 * to each page does not count.
 */
export async function timePageChanges(
  { url, setupLink, accounts }: BrowsedConsole,
  times: number,
): Promise<CallTime[]> {
  const browser = await testBrowser.launch(true)
  try {
    await using visitor = await openVisitor(browser, url)
    await setUp(visitor, setupLink)
    const found: CallTime[] = []
    for (const [words, account] of Object.entries(accounts)) {
      await visitor.page.goto(`${url}/console/?account=${account}`)
      await visitor.page.getByRole("heading", { level: 1 }).waitFor()
      found.push(...(await goThrough(visitor, words, times)))
    }
    return found
  } finally {
    await browser.close()
  }
}

/** A console that is open in a browser. */
export interface BrowsedConsole {
  readonly url: string
  readonly setupLink: string
  /** The accounts to select, by their description. */
  readonly accounts: Readonly<Record<string, string>>
}

async function goThrough({ page }: Visitor, words: string, times: number): Promise<CallTime[]> {
  const atRest = restOf(page)
  await atRest()
  const took = new Map<string, number[]>(PAGES.map((name) => [name, []]))
  for (let time = 0; time <= times; time++) {
    for (const name of PAGES) {
      const change = await page.evaluate<number>(`(${CHANGE})(${JSON.stringify(name)})`)
      if (time > 0) took.get(name)?.push(change)
      await atRest()
    }
  }
  return [...took].map(([name, changes]) => summed(`${name} of ${words}`, changes))
}

/** Returns a function that waits until a page is at rest, so that its requests do not delay the next page. */
function restOf(page: Visitor["page"]): () => Promise<void> {
  const pending = new Set<object>()
  let changedAt = performance.now()
  const end = (request: object): void => {
    pending.delete(request)
    changedAt = performance.now()
  }
  page.on("request", (request) => pending.add(request))
  page.on("requestfinished", end)
  page.on("requestfailed", end)
  return async () => {
    while (pending.size > 0 || performance.now() - changedAt < QUIET_MS)
      await Bun.sleep(QUIET_MS / 4)
  }
}
